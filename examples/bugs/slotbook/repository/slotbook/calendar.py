"""A calendar: bookings that do not overlap."""

from typing import NamedTuple

from .clock import parse_minute
from .spans import Span, SpanSet


class Conflict(ValueError):
    """The time is taken."""


class Booking(NamedTuple):
    span: Span
    title: str


class Calendar:
    """The bookings of one day."""

    def __init__(self, opens="00:00", closes="24:00"):
        self.hours = Span(parse_minute(opens), parse_minute(closes))
        self._bookings = []
        self._taken = SpanSet()

    def book(self, start, stop, title):
        span = Span(parse_minute(start), parse_minute(stop))
        if span.start < self.hours.start or span.stop > self.hours.stop:
            raise Conflict(f"{span} is outside the opening hours {self.hours}")
        if self._taken.overlaps(span):
            raise Conflict(f"{span} is taken")
        self._taken.add(span)
        self._bookings.append(Booking(span, title))

    def cancel(self, title):
        """Cancels every booking of that title and says how many there were."""
        gone = [booking for booking in self._bookings if booking.title == title]
        for booking in gone:
            self._bookings.remove(booking)
            self._taken.discard(booking.span)
        return len(gone)

    def bookings(self):
        return sorted(self._bookings)

    def busy(self):
        """The longest stretches in which there is no free minute."""
        return list(self._taken)

    def free(self):
        """What is left of the opening hours."""
        return list(self._taken.gaps(self.hours))

    def first_free(self, minutes):
        """The earliest free stretch of at least so many minutes, if there is one."""
        return next((span for span in self.free() if span.minutes >= minutes), None)
