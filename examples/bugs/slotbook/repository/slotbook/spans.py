"""Half-open spans of minutes, and sets of them."""

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from .clock import format_minute


class Span(NamedTuple):
    """The minutes from `start` up to, but not including, `stop`."""

    start: int
    stop: int

    @property
    def minutes(self):
        return self.stop - self.start

    def overlaps(self, other):
        return self.start < other.stop and other.start < self.stop

    def __str__(self):
        return f"{format_minute(self.start)}-{format_minute(self.stop)}"


class SpanSet:
    """Minutes, kept as sorted spans."""

    def __init__(self, spans=()):
        self._starts = []
        self._stops = []
        for span in spans:
            self.add(span)

    def add(self, span):
        """Adds the minutes of `span`."""
        start, stop = span
        if start >= stop:
            raise ValueError(f"an empty span: {start}-{stop}")
        first = bisect_left(self._stops, start)
        last = bisect_left(self._starts, stop)
        if first < last:
            start = min(start, self._starts[first])
            stop = max(stop, self._stops[last - 1])
        self._starts[first:last] = [start]
        self._stops[first:last] = [stop]

    def discard(self, span):
        """Takes the minutes of `span` out, those of them that are there."""
        start, stop = span
        first = bisect_right(self._stops, start)
        last = bisect_left(self._starts, stop)
        if first >= last:
            return
        left = [(self._starts[first], start)] if self._starts[first] < start else []
        right = [(stop, self._stops[last - 1])] if stop < self._stops[last - 1] else []
        kept = left + right
        self._starts[first:last] = [s for s, _ in kept]
        self._stops[first:last] = [e for _, e in kept]

    def gaps(self, within):
        """The spans of `within` that are not covered."""
        at = within.start
        for span in self:
            if span.stop <= within.start or span.start >= within.stop:
                continue
            if at <= span.start and span.start != within.start:
                yield Span(at, span.start)
            at = max(at, span.stop)
        if at < within.stop:
            yield Span(at, within.stop)

    def overlaps(self, span):
        index = bisect_right(self._stops, span.start)
        return index < len(self._starts) and self._starts[index] < span.stop

    def minutes(self):
        return sum(span.minutes for span in self)

    def __iter__(self):
        return map(Span, self._starts, self._stops)

    def __len__(self):
        return len(self._starts)

    def __contains__(self, minute):
        index = bisect_right(self._starts, minute) - 1
        return index >= 0 and minute < self._stops[index]

    def __eq__(self, other):
        if not isinstance(other, SpanSet):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None

    def __repr__(self):
        return f"SpanSet([{', '.join(map(str, self))}])"
