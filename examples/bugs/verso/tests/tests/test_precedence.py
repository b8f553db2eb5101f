import random

import pytest

from verso import Version, newest, sort_versions

# Item 11 of the specification, and what follows from it: numbers before names, numbers as numbers, names by ASCII, more fields after fewer.
ORDER = """
1.0.0-0 1.0.0-2 1.0.0-10 1.0.0--1 1.0.0-Alpha 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.1.0 1.0.0-alpha.2 1.0.0-alpha.10
1.0.0-alpha.-1 1.0.0-alpha.1a 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1-0 1.0.1
""".split()


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_order(place):
    left = Version.parse(ORDER[place])
    for right in map(Version.parse, ORDER[place + 1 :]):
        assert left < right and right > left and left <= right and left != right
        assert not right < left and not left >= right


def test_sorting():
    shuffled = list(ORDER)
    random.Random(3).shuffle(shuffled)
    assert sort_versions(shuffled) == ORDER


def test_newest_candidate():
    candidates = ["2.0.0-rc.8", "2.0.0-rc.9", "2.0.0-rc.10", "2.0.0-rc.11"]
    assert newest(candidates, ">=2.0.0-rc.1") == "2.0.0-rc.11"
    assert newest(candidates, ">=2.0.0-rc.1, <2.0.0-rc.10") == "2.0.0-rc.9"


def test_equality_text_and_hash_stay():
    version = Version.parse("1.0.0-rc.10+7")
    assert version.prerelease == ("rc", "10") and str(version) == "1.0.0-rc.10+7"
    assert {version: 1}[Version.parse("1.0.0-rc.10")] == 1
    assert Version.parse("1.0.0-rc.1") != Version.parse("1.0.0-rc.a")
