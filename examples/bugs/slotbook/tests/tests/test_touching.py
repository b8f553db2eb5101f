import itertools
import random

import pytest

from slotbook import Calendar, Span, SpanSet
from slotbook.report import agenda


def minutes_of(spans):
    return {minute for span in spans for minute in range(span.start, span.stop)}


def test_a_span_before_another():
    assert list(SpanSet([Span(10, 20), Span(0, 10)])) == [Span(0, 20)]


def test_a_span_that_fills_a_gap():
    assert list(SpanSet([Span(0, 10), Span(20, 30), Span(10, 20)])) == [Span(0, 30)]


@pytest.mark.parametrize("order", list(itertools.permutations([Span(0, 5), Span(5, 10), Span(10, 15)])))
def test_the_order_does_not_matter(order):
    assert SpanSet(order) == SpanSet([Span(0, 15)])


def test_no_empty_slots():
    room = Calendar(opens="08:00", closes="12:00")
    room.book("10:00", "11:00", "interview")
    room.book("09:00", "10:00", "stand-up")
    assert [str(slot) for slot in room.free()] == ["08:00-09:00", "11:00-12:00"]
    assert [str(slot) for slot in room.busy()] == ["09:00-11:00"]
    assert agenda(room).endswith("free: 120 minutes in 2 slots")


def test_spans_with_a_minute_between_them_stay_apart():
    assert len(SpanSet([Span(11, 20), Span(0, 10)])) == 2


def test_against_a_set_of_minutes():
    chance = random.Random(7)
    for _ in range(200):
        spans, expected = SpanSet(), set()
        for _ in range(12):
            start = chance.randrange(40)
            span = Span(start, start + chance.randrange(1, 8))
            if chance.random() < 0.7:
                spans.add(span)
                expected |= minutes_of([span])
            else:
                spans.discard(span)
                expected -= minutes_of([span])
            found = list(spans)
            assert minutes_of(found) == expected
            assert all(left.stop < right.start for left, right in zip(found, found[1:])), found
