from datetime import datetime, timedelta, timezone

import pytest

from daybreak import BERLIN, LONDON, NEW_YORK, TOKYO

HOUR = timedelta(hours=1)


def utc(*fields):
    return datetime(*fields, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "zone, moment, hours",
    [
        (BERLIN, utc(2024, 1, 15, 12), 1),
        (BERLIN, utc(2024, 7, 15, 12), 2),
        (BERLIN, utc(2024, 3, 31, 0, 59), 1),
        (BERLIN, utc(2024, 3, 31, 1), 2),
        (BERLIN, utc(2024, 10, 27, 0, 59), 2),
        (BERLIN, utc(2024, 10, 27, 1), 1),
        (LONDON, utc(2024, 7, 1), 1),
        (NEW_YORK, utc(2024, 3, 10, 6, 59), -5),
        (NEW_YORK, utc(2024, 3, 10, 7), -4),
        (NEW_YORK, utc(2024, 11, 3, 6), -5),
        (TOKYO, utc(2024, 7, 1), 9),
    ],
)
def test_offsets(zone, moment, hours):
    assert zone.offset_at(moment) == hours * HOUR


def test_a_wall_time_in_summer():
    assert BERLIN.moment(datetime(2024, 7, 1, 9)) == utc(2024, 7, 1, 7)


def test_a_skipped_wall_time():
    assert BERLIN.moment(datetime(2024, 3, 31, 2, 30)) == utc(2024, 3, 31, 1, 30)
    assert BERLIN.wall(utc(2024, 3, 31, 1, 30)) == datetime(2024, 3, 31, 3, 30)


def test_a_repeated_wall_time():
    assert BERLIN.moment(datetime(2024, 10, 27, 2, 30)) == utc(2024, 10, 27, 0, 30)
