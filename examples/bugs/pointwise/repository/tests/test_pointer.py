import pytest

from pointwise import NotThere, Pointer, PointwiseError

# The document of RFC 6901, section 5.
DOCUMENT = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8}


@pytest.mark.parametrize(
    "text, expected",
    [("", DOCUMENT), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/m~0n", 8)],
)
def test_the_examples_of_the_standard(text, expected):
    assert Pointer(text).get(DOCUMENT) == expected
    assert str(Pointer(text)) == text


@pytest.mark.parametrize("text", ["/foo/2", "/foo/-", "/foo/01", "/foo/x", "/bar", "/foo/0/x"])
def test_nothing_there(text):
    with pytest.raises(NotThere):
        Pointer(text).get(DOCUMENT)


@pytest.mark.parametrize("text", ["foo", "/~", "/~2"])
def test_no_pointers(text):
    with pytest.raises(PointwiseError):
        Pointer(text)
