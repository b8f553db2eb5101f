"""What a strategy is told about the market. An empty side, or a price that does not exist yet, is `None`, never 0."""

from __future__ import annotations

from typing import NamedTuple

from .units import Side


class Config(NamedTuple):
    """What a strategy is told at the start."""

    symbol: str
    """The traded symbol; the first of several."""
    starting_cash: int
    """Cash at the start, in cents."""
    market_open: int
    """When the market opens for you: ticks begin then, and requests that arrive before are rejected. You see quotes before."""
    market_close: int
    """When the market closes."""
    latency: int
    """One-way latency to the exchange, at least, in nanoseconds."""
    tick_interval: int | None
    """Nanoseconds between `on_tick` calls; `None` means that there are none but the wake-ups you ask for."""


class Level(NamedTuple):
    """One price level of the book."""

    price: int
    """Price in cents."""
    quantity: int
    """Visible shares, of all traders, yours included."""


class Quote(NamedTuple):
    """The top of the book as you know it."""

    bid: Level | None
    """Best visible bid; `None` if nobody bids."""
    ask: Level | None
    """Best visible offer; `None` if nobody offers."""
    last: int | None
    """Price of the last trade in cents; `None` before the first."""
    volume: int
    """Shares traded since the open, by everyone."""

    def level(self, side: Side) -> Level | None:
        """The best visible level of a side: `bid` or `ask`."""
        return self[side]

    def mid(self) -> float | None:
        """Halfway between bid and ask, in cents; `None` if a side is empty."""
        bid, ask = self.bid, self.ask
        return None if bid is None or ask is None else (bid.price + ask.price) / 2.0

    def spread(self) -> int | None:
        """Ask minus bid, in cents; `None` if a side is empty."""
        bid, ask = self.bid, self.ask
        return None if bid is None or ask is None else ask.price - bid.price

    def imbalance(self) -> float | None:
        """The part of the shares at the touch that is on the bid, 0 to 1: above a half, buyers press. `None` if a side is empty."""
        bid, ask = self.bid, self.ask
        return None if bid is None or ask is None else bid.quantity / (bid.quantity + ask.quantity)


Symbol = int
"""One of the market's symbols; `Exchange.symbols` lists them. They count from 0."""
