import pytest

from slotbook import Calendar, Conflict, parse_minute
from slotbook.report import agenda


@pytest.fixture
def room():
    room = Calendar(opens="08:00", closes="18:00")
    room.book("09:00", "10:00", "stand-up")
    room.book("13:00", "14:30", "review")
    return room


def test_free(room):
    assert [str(slot) for slot in room.free()] == ["08:00-09:00", "10:00-13:00", "14:30-18:00"]


def test_taken_time_is_refused(room):
    with pytest.raises(Conflict):
        room.book("09:30", "10:30", "interview")


def test_outside_the_hours(room):
    with pytest.raises(Conflict):
        room.book("07:00", "08:30", "early")


def test_cancel(room):
    assert room.cancel("review") == 1
    assert [str(slot) for slot in room.free()] == ["08:00-09:00", "10:00-18:00"]


def test_first_free(room):
    assert str(room.first_free(90)) == "10:00-13:00"
    assert room.first_free(600) is None


def test_agenda(room):
    assert agenda(room).splitlines() == [
        "09:00-10:00  stand-up",
        "13:00-14:30  review",
        "free: 450 minutes in 3 slots",
    ]


@pytest.mark.parametrize("text", ["9", "09:60", "25:00", "ab:cd"])
def test_bad_times(text):
    with pytest.raises(ValueError):
        parse_minute(text)
