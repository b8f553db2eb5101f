import pytest

from dsvkit import EXCEL, TABS, UNIX, BadDialect, Dialect, Malformed, dumps, loads


@pytest.mark.parametrize(
    "rows, dialect, text",
    [
        ([["a", "b"]], EXCEL, "a,b\r\n"),
        ([["a,b", "c"]], EXCEL, '"a,b",c\r\n'),
        ([['say "hi"']], EXCEL, '"say ""hi"""\r\n'),
        ([['say "hi"']], UNIX, '"say \\"hi\\""\n'),
        ([["two\nlines", "x"]], TABS, '"two\nlines"\tx\n'),
        ([[""], ["", ""]], TABS, '""\n\t\n'),
    ],
    ids=["plain", "delimiter", "doubled", "escaped", "newline", "empty"],
)
def test_both_ways(rows, dialect, text):
    assert dumps(rows, dialect) == text
    assert loads(text, dialect) == rows


def test_escapes_are_read_anywhere():
    assert loads('a\\,b,"c\\"d"\n', UNIX) == [["a,b", 'c"d']]


def test_the_last_line_may_be_open():
    assert loads("a,b\r\nc,d") == [["a", "b"], ["c", "d"]]


def test_empty_lines_are_no_rows():
    assert loads("a\n\n\r\nb\n") == [["a"], ["b"]]


@pytest.mark.parametrize("text, line", [('a\n"b', 2), ('a"b\n', 1), ('x\ny\n"a"b\n', 3)])
def test_malformed(text, line):
    with pytest.raises(Malformed) as caught:
        loads(text)
    assert caught.value.line == line


@pytest.mark.parametrize("changes", [{"delimiter": ""}, {"delimiter": '"'}, {"escape": ","}, {"newline": "x"}, {"quote": "\n"}])
def test_bad_dialects(changes):
    with pytest.raises(BadDialect):
        Dialect(**changes)
