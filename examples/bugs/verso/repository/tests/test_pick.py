import pytest

from verso import InvalidVersion, Range, newest, sort_versions

ALL = ["1.4.2", "0.3.9", "2.0.0-rc.1", "1.5.0", "0.3.10", "2.0.0"]


@pytest.mark.parametrize(
    "within, expected",
    [
        ("^1.4", "1.5.0"),
        ("~1.4", "1.4.2"),
        ("^0.3", "0.3.10"),
        (">=1,<1.5", "1.4.2"),
        (">2", None),
        ("=2.0.0-rc.1", "2.0.0-rc.1"),
        ("<2.0.0", "1.5.0"),
    ],
)
def test_newest(within, expected):
    assert newest(ALL, within) == expected


def test_sorting():
    assert sort_versions(ALL) == ["0.3.9", "0.3.10", "1.4.2", "1.5.0", "2.0.0-rc.1", "2.0.0"]


@pytest.mark.parametrize("text", ["", "1.2.3.4", "=>1", "^"])
def test_no_ranges(text):
    with pytest.raises(InvalidVersion):
        Range(text)
