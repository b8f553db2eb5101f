import csv
import io
import itertools
import random

import pytest

from dsvkit import EXCEL, TABS, UNIX, Dialect, Table, dumps, loads

DIALECTS = [EXCEL, UNIX, TABS, UNIX.with_(delimiter=";"), Dialect(delimiter="|", quote="'", escape="^", newline="\r")]


FIELDS = ["C:\\data\\", "\\", "\\\\", '\\"', 'a\\"b', "\\server\\a, b", "\\\n", "^", "'^'", "^^|", ""]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("number", range(len(FIELDS)))
def test_a_field_comes_back(number, dialect):
    field = FIELDS[number]
    for row in ([field], [field, "x"], ["x", field], [field, field]):
        assert loads(dumps([row], dialect), dialect) == [row]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_short_fields_come_back(dialect):
    signs = [dialect.delimiter, dialect.quote, dialect.escape or "\\", "\n", "\r", "a"]
    rows = [["".join(field), "end"] for length in range(5) for field in itertools.product(signs, repeat=length)]
    assert loads(dumps(rows, dialect), dialect) == rows


@pytest.mark.parametrize("dialect", DIALECTS)
def test_another_reader_agrees(dialect):
    # Not read back by `loads`: whoever writes and reads could remember what was written.
    rows = [[field, "x"] for field in FIELDS]
    signs = {"delimiter": dialect.delimiter, "quotechar": dialect.quote, "escapechar": dialect.escape, "doublequote": dialect.escape is None}
    assert list(csv.reader(io.StringIO(dumps(rows, dialect), newline=""), strict=True, **signs)) == rows


def test_random_tables_come_back():
    chance = random.Random(5)
    for _ in range(300):
        rows = [["".join(chance.choices('\\",ab\n', k=chance.randrange(6))) for _ in range(3)] for _ in range(4)]
        assert loads(dumps(rows, UNIX), UNIX) == rows


def test_the_table_of_shares():
    table = Table(["share", "owner"], [{"share": "C:\\data\\", "owner": "ops"}])
    assert Table.loads(table.dumps(UNIX), UNIX).rows == table.rows


def test_what_others_wrote_is_read_as_before():
    assert loads('a\\,b,"c\\"d"\n', UNIX) == [["a,b", 'c"d']]
    assert loads("\\n\n", UNIX) == [["n"]]


def test_no_escape_where_the_dialect_has_none():
    assert dumps([["C:\\data\\", "x"]], EXCEL) == "C:\\data\\,x\r\n"
