import pytest

from pointwise import PatchFailed, apply, diff


@pytest.mark.parametrize(
    "document, operation, expected",
    [
        ({"a": 1}, {"op": "add", "path": "/b", "value": [2]}, {"a": 1, "b": [2]}),
        ([1, 3], {"op": "add", "path": "/1", "value": 2}, [1, 2, 3]),
        ([1], {"op": "add", "path": "/-", "value": 2}, [1, 2]),
        ({"a": 1, "b": 2}, {"op": "remove", "path": "/a"}, {"b": 2}),
        ([1, 2], {"op": "replace", "path": "/0", "value": 3}, [3, 2]),
        ({"a": {"b": 1}, "c": {}}, {"op": "move", "from": "/a/b", "path": "/c/d"}, {"a": {}, "c": {"d": 1}}),
        ({"a": [1]}, {"op": "copy", "from": "/a", "path": "/b"}, {"a": [1], "b": [1]}),
        ({"a": 1}, {"op": "test", "path": "/a", "value": 1}, {"a": 1}),
        ({"a": 1}, {"op": "replace", "path": "", "value": 2}, 2),
    ],
)
def test_operations(document, operation, expected):
    before = repr(document)
    assert apply(document, [operation]) == expected
    assert repr(document) == before


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/x"},
        {"op": "test", "path": "/a", "value": True},
        {"op": "move", "from": "/a", "path": "/a/b"},
        {"op": "add", "path": "/b"},
        {"op": "spin", "path": "/a"},
    ],
)
def test_failures(operation):
    with pytest.raises(PatchFailed) as caught:
        apply({"a": 1}, [{"op": "test", "path": "/a", "value": 1}, operation])
    assert caught.value.index == 1


@pytest.mark.parametrize(
    "old, new",
    [({"a": 1, "b": [1, 2, 3]}, {"b": [1, 4], "c": None}), ([1], [True]), ({"a/b": 1}, {"a/b": 2}), ([], {}), ([[1, 2]], [[1], [2]])],
)
def test_diff(old, new):
    assert apply(old, diff(old, new)) == new
