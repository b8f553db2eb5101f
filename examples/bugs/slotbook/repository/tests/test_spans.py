import pytest

from slotbook import Span, SpanSet


def test_disjoint_spans_stay_apart():
    assert list(SpanSet([Span(0, 10), Span(20, 30)])) == [Span(0, 10), Span(20, 30)]


def test_overlapping_spans_become_one():
    assert list(SpanSet([Span(0, 10), Span(5, 30)])) == [Span(0, 30)]


def test_a_span_that_bridges_two():
    assert list(SpanSet([Span(0, 10), Span(20, 30), Span(8, 22)])) == [Span(0, 30)]


def test_a_span_after_another():
    assert list(SpanSet([Span(0, 10), Span(10, 20)])) == [Span(0, 20)]


def test_an_empty_span_is_refused():
    with pytest.raises(ValueError):
        SpanSet([Span(5, 5)])


def test_discard_cuts_a_hole():
    spans = SpanSet([Span(0, 30)])
    spans.discard(Span(10, 20))
    assert list(spans) == [Span(0, 10), Span(20, 30)]


def test_contains():
    spans = SpanSet([Span(5, 10)])
    assert 5 in spans and 9 in spans
    assert 4 not in spans and 10 not in spans
