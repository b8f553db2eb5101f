"""What a strategy offers."""

from __future__ import annotations

from typing import TypeVar

from .exchange import Exchange
from .market import Config
from .orders import OrderUpdate

_Number = TypeVar("_Number", int, float)


def parameter(default: _Number, low: _Number, high: _Number, *, log: bool = False) -> _Number:
    """A number that can be set from outside, from `low` to `high`: `half_spread = parameter(2.0, 0.5, 20.0, log=True)`, in the body of a class.

    The value is the default. What sets it writes another default there, so the numbers are literals. It takes whole numbers only if all
    three are whole; with `log`, equal steps of the range are equal factors, and the range is above 0.
    """
    if not (low <= default <= high and low < high) or (log and low <= 0):
        raise ValueError(f"a parameter of {default!r} from {low!r} to {high!r} is not a valid one")
    return default


class Strategy:
    """A trading strategy. The exchange calls it back; it answers with requests to `self.exchange`.

    Callbacks never overlap, and nothing arrives while one runs. Write only those that you need: what a class leaves out is never called.
    Requests leave when the callback returns, in the order made.
    """

    exchange: Exchange
    """Your line to the exchange; there from the beginning."""

    def initialize(self, config: Config) -> None:
        """Once, before the market opens: orders sent here are rejected, wake-ups are kept."""

    def on_tick(self) -> None:
        """At every tick interval and at every wake-up asked for, from open to close."""

    def on_market_data(self) -> None:
        """The top of the book, the last price, the volume or the session changed.

        Begins when the market is open for you and its book has had both sides; a side can go empty later.
        """

    def on_order_update(self, update: OrderUpdate) -> None:
        """Something happened to a request or an order of yours."""

    def on_simulation_end(self) -> None:
        """Once, after the market has closed and every order has ended."""
