import itertools

import pytest

from pointwise import NotThere, Pointer, apply, diff

NAMES = ["".join(signs) for length in range(5) for signs in itertools.product("~/01", repeat=length)]


def test_names_come_back():
    for name in NAMES:
        assert Pointer(str(Pointer.of([name]))).names == (name,)


@pytest.mark.parametrize("text, name", [("/~01", "~1"), ("/~00", "~0"), ("/~0~1", "~/"), ("/~1~0", "/~"), ("/~001", "~01"), ("/~011", "~11")])
def test_reading(text, name):
    assert Pointer(text).names == (name,)
    assert Pointer(text).get({name: 1}) == 1


def test_the_right_entry_is_changed():
    old = {"~1": "one", "/": "slash"}
    assert apply(old, diff(old, {"~1": "two", "/": "slash"})) == {"~1": "two", "/": "slash"}


def test_no_other_entry_is_found():
    with pytest.raises(NotThere):
        Pointer("/~01").get({"/": 1})


def test_moving_between_such_names():
    assert apply({"~1": 1}, [{"op": "move", "from": "/~01", "path": "/~001"}]) == {"~01": 1}


def test_every_name_is_changed_alone():
    old = {name: 0 for name in NAMES}
    for name in NAMES:
        new = {**old, name: 1}
        assert apply(old, diff(old, new)) == new
