"""A job that runs every day, or on some days of the week."""

from datetime import datetime, time, timedelta, timezone
from itertools import islice

from .zones import Zone

DAY = timedelta(days=1)
EVERY_DAY = frozenset(range(7))


class Daily:
    """Runs at `at` by the clocks of `zone`, on `days` (Monday is 0)."""

    def __init__(self, name: str, at: time, zone: Zone, days=EVERY_DAY):
        self.name = name
        self.at = at
        self.zone = zone
        self.days = frozenset(days)
        if not self.days or not self.days <= EVERY_DAY:
            raise ValueError(f"days of the week are 0 to 6: {sorted(self.days)}")

    def occurrences(self, after: datetime):
        """The moments at which it runs, later than `after`, without end."""
        if after.tzinfo is None:
            raise ValueError("a moment needs a zone")
        today = self.zone.wall(after.astimezone(timezone.utc)).date()
        moment = self.zone.moment(datetime.combine(today, self.at))
        while True:
            if moment > after and self.zone.wall(moment).weekday() in self.days:
                yield moment
            moment += DAY

    def next_after(self, moment: datetime):
        """The next moment at which it runs."""
        return next(self.occurrences(moment))

    def upcoming(self, after: datetime, count: int):
        """The next `count` moments."""
        return list(islice(self.occurrences(after), count))
