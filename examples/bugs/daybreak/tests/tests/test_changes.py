from datetime import date, datetime, time, timedelta, timezone

import pytest

from daybreak import BERLIN, LONDON, NEW_YORK, TOKYO, Daily, Plan


def utc(*fields):
    return datetime(*fields, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "zone, after",
    [
        (BERLIN, utc(2024, 3, 29, 12)),
        (BERLIN, utc(2024, 10, 25, 12)),
        (LONDON, utc(2023, 3, 24, 12)),
        (NEW_YORK, utc(2024, 3, 8, 18)),
        (NEW_YORK, utc(2024, 11, 1, 18)),
    ],
)
def test_the_wall_time_stays(zone, after):
    walls = [zone.wall(moment) for moment in Daily("report", time(9), zone).upcoming(after, 5)]
    assert {wall.time() for wall in walls} == {time(9)}
    assert [later - earlier for earlier, later in zip(walls, walls[1:])] == [timedelta(days=1)] * 4


def test_a_year_of_days_once_each():
    walls = [BERLIN.wall(moment) for moment in Daily("report", time(0, 15), BERLIN).upcoming(utc(2023, 12, 31, 12), 366)]
    assert [wall.date() for wall in walls] == [date(2024, 1, 1) + timedelta(days=day) for day in range(366)]
    assert {wall.time() for wall in walls} == {time(0, 15)}


def test_a_skipped_time_only_moves_on_that_day():
    walls = [BERLIN.wall(moment) for moment in Daily("backup", time(2, 30), BERLIN).upcoming(utc(2024, 3, 29, 12), 3)]
    assert walls == [datetime(2024, 3, 30, 2, 30), datetime(2024, 3, 31, 3, 30), datetime(2024, 4, 1, 2, 30)]


def test_a_repeated_time_counts_once():
    moments = Daily("backup", time(2, 30), BERLIN).upcoming(utc(2024, 10, 26, 12), 2)
    assert moments == [utc(2024, 10, 27, 0, 30), utc(2024, 10, 28, 1, 30)]


def test_days_of_the_week_are_those_of_the_zone():
    job = Daily("early", time(0, 30), BERLIN, days=[0])
    assert [BERLIN.wall(moment).weekday() for moment in job.upcoming(utc(2024, 10, 20), 4)] == [0] * 4


def test_a_plan_over_a_change():
    plan = Plan([Daily("berlin", time(9), BERLIN), Daily("tokyo", time(17), TOKYO)])
    assert list(plan.between(utc(2024, 3, 30), utc(2024, 3, 31, 12))) == [
        (utc(2024, 3, 30, 8), "berlin"),
        (utc(2024, 3, 30, 8), "tokyo"),
        (utc(2024, 3, 31, 7), "berlin"),
        (utc(2024, 3, 31, 8), "tokyo"),
    ]
