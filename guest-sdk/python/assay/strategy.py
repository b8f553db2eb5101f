"""What a strategy offers."""

from __future__ import annotations

from .exchange import Exchange
from .market import Config
from .orders import OrderUpdate


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
