import pytest

from dsvkit import UNIX, Malformed, Table


def test_a_table():
    table = Table(["id", "path"], [{"id": 1, "path": "/tmp/a, b"}])
    assert table.dumps(UNIX) == 'id,path\n1,"/tmp/a, b"\n'
    assert Table.loads(table.dumps(UNIX), UNIX).rows == [{"id": "1", "path": "/tmp/a, b"}]


def test_a_row_too_short():
    with pytest.raises(Malformed):
        Table.loads("a,b\n1\n")


def test_missing_values():
    with pytest.raises(ValueError):
        Table(["a", "b"], [{"a": 1}])
