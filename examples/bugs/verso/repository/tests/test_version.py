import pytest

from verso import InvalidVersion, Version


@pytest.mark.parametrize("text", ["0.0.0", "1.2.3", "1.0.0-alpha.1", "1.0.0-x.7.z.92", "1.0.0+20130313144700", "1.0.0-beta+exp.sha-5"])
def test_what_is_read_is_written(text):
    assert str(Version.parse(text)) == text


@pytest.mark.parametrize("text", ["", "1", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3+", "1.2.3_beta"])
def test_no_versions(text):
    with pytest.raises(InvalidVersion):
        Version.parse(text)


def test_numbers_compare_as_numbers():
    assert Version.parse("1.10.0") > Version.parse("1.9.0") > Version.parse("1.2.11")


def test_a_prerelease_comes_before_its_release():
    assert Version.parse("1.0.0-rc.1") < Version.parse("1.0.0")


def test_prereleases_have_an_order():
    assert Version.parse("1.0.0-alpha") < Version.parse("1.0.0-alpha.1") < Version.parse("1.0.0-beta")


def test_the_build_has_no_part_in_it():
    assert Version.parse("1.0.0+a") == Version.parse("1.0.0+b")
    assert hash(Version.parse("1.0.0+a")) == hash(Version.parse("1.0.0+b"))
