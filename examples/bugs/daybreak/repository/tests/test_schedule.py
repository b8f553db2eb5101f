from datetime import datetime, time, timezone

import pytest

from daybreak import BERLIN, TOKYO, Daily, Plan


def utc(*fields):
    return datetime(*fields, tzinfo=timezone.utc)


def test_later_today():
    job = Daily("report", time(9), BERLIN)
    assert job.next_after(utc(2024, 1, 15, 6)) == utc(2024, 1, 15, 8)


def test_tomorrow():
    job = Daily("report", time(9), BERLIN)
    assert job.next_after(utc(2024, 1, 15, 8)) == utc(2024, 1, 16, 8)


def test_only_on_weekdays():
    job = Daily("report", time(9), BERLIN, days=range(5))
    assert job.upcoming(utc(2024, 1, 18, 12), 3) == [utc(2024, 1, 19, 8), utc(2024, 1, 22, 8), utc(2024, 1, 23, 8)]


def test_today_by_the_clock_of_the_zone():
    job = Daily("open", time(8), TOKYO)
    assert job.next_after(utc(2024, 1, 15, 22, 30)) == utc(2024, 1, 15, 23)


def test_no_such_day():
    with pytest.raises(ValueError):
        Daily("never", time(8), TOKYO, days=[7])


def test_a_moment_needs_a_zone():
    with pytest.raises(ValueError):
        Daily("open", time(8), TOKYO).next_after(datetime(2024, 1, 15))


def test_a_plan_is_in_order():
    plan = Plan([Daily("b", time(9), BERLIN), Daily("a", time(8), TOKYO)])
    assert list(plan.between(utc(2024, 1, 15), utc(2024, 1, 16))) == [
        (utc(2024, 1, 15, 8), "b"),
        (utc(2024, 1, 15, 23), "a"),
    ]
