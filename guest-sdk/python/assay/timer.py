"""A steady clock for strategies that act at their own pace."""

from __future__ import annotations

from .exchange import Exchange


class Timer:
    """Says once a period that it is time, whatever else makes the exchange call `on_tick`.

    `on_tick` comes for the scenario's ticks as well as for every wake-up. Asking for the next wake-up on each would start another chain of
    wake-ups every time; a timer asks only when it is due.
    """

    __slots__ = ("_exchange", "_next", "_period")

    def __init__(self, exchange: Exchange, start: int, period: int) -> None:
        """Due first at `start`, or now if that is past, then every `period` nanoseconds (at least one)."""
        self._exchange, self._next, self._period = exchange, start, max(period, 1)
        exchange.wake_at(start)

    def is_due(self) -> bool:
        """Whether it is time. True once a period, and then the wake-up for the next is asked for."""
        now = self._exchange.now()
        if now < self._next:
            return False
        self._next = now + self._period
        self._exchange.wake_at(self._next)
        return True
