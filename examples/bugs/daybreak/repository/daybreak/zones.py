"""Zones by rule: a standard offset, and when summer time begins and ends."""

from datetime import datetime, timedelta, timezone
from typing import NamedTuple, Optional

HOUR = timedelta(hours=1)
SUNDAY = 6


class Change(NamedTuple):
    """The `week`th Sunday of a month (-1: the last), at an hour of UTC."""

    month: int
    week: int
    hour: int

    def in_year(self, year):
        if self.week > 0:
            first = datetime(year, self.month, 1, self.hour, tzinfo=timezone.utc)
            return first + timedelta(days=(SUNDAY - first.weekday()) % 7 + 7 * (self.week - 1))
        last = datetime(year, self.month, 31, self.hour, tzinfo=timezone.utc)
        return last - timedelta(days=(last.weekday() - SUNDAY) % 7)


class Zone(NamedTuple):
    """Where clocks show the same. Without `begin` and `end` there is no summer time."""

    name: str
    standard: timedelta
    begin: Optional[Change] = None
    end: Optional[Change] = None

    def offset_at(self, moment):
        """What clocks are ahead of UTC at a moment."""
        if self.begin is None or self.end is None:
            return self.standard
        summer = self.begin.in_year(moment.year) <= moment < self.end.in_year(moment.year)
        return self.standard + HOUR if summer else self.standard

    def wall(self, moment):
        """What a clock on the wall shows at a moment, without a zone."""
        return (moment + self.offset_at(moment)).replace(tzinfo=None)

    def moment(self, wall):
        """The moment at which a clock on the wall shows `wall`: the first of two; a skipped time is moved forward by what was skipped."""
        naive = wall.replace(tzinfo=timezone.utc)
        for offset in (self.standard + HOUR, self.standard):
            moment = naive - offset
            if self.offset_at(moment) == offset:
                return moment
        return naive - self.standard


BERLIN = Zone("Europe/Berlin", HOUR, Change(3, -1, 1), Change(10, -1, 1))
LONDON = Zone("Europe/London", 0 * HOUR, Change(3, -1, 1), Change(10, -1, 1))
NEW_YORK = Zone("America/New_York", -5 * HOUR, Change(3, 2, 7), Change(11, 1, 6))
TOKYO = Zone("Asia/Tokyo", 9 * HOUR)
