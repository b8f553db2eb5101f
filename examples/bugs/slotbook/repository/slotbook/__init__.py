"""Bookings of one resource, and the time that is left."""

from .calendar import Booking, Calendar, Conflict
from .clock import format_minute, parse_minute
from .spans import Span, SpanSet

__all__ = ["Booking", "Calendar", "Conflict", "Span", "SpanSet", "format_minute", "parse_minute"]
__version__ = "0.4.1"
