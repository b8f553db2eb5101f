"""What a strategy is told about the market. An empty side, or a price that does not exist yet, is `None`, never 0."""

from __future__ import annotations

import enum
from typing import NamedTuple

from .units import Side


class Fee(NamedTuple):
    """What the venue charges for a fill: two parts, which add. Negative amounts are rebates."""

    cents_per_share: float
    """Cents a share."""
    of_value: float
    """A part of what the shares cost: 0.0001 is one basis point."""

    def cents(self, price: int, shares: int) -> float:
        """What a fill of so many shares at a price costs, in cents."""
        return (self.cents_per_share + self.of_value * price) * shares


class Config(NamedTuple):
    """What a strategy is told at the start."""

    symbol: str
    """The traded symbol; the first of several."""
    starting_cash: int
    """Cash at the start, in cents."""
    market_open: int
    """When the market opens for you: ticks and `on_market_data` begin then, and requests that arrive before are rejected."""
    market_close: int
    """From when on the market may close: be flat by then, and you are safe."""
    close_window: int
    """The market closes at some instant within so many nanoseconds after `market_close`, another one in each run."""
    latency: int
    """One-way latency to the exchange, at least, in nanoseconds."""
    tick_interval: int | None
    """Nanoseconds between `on_tick` calls; `None` means that there are none but the wake-ups you ask for."""
    tick_size: int
    """The step between prices, in cents."""
    position_limit: int
    """Shares you may hold, long or short, should all your open orders trade; what could pass it is rejected."""
    loss_limit: int | None
    """Cents you may lose before you are taken out; `None` if there is no such limit."""
    margin_long: float
    """Capital that a share bought ties up, as a part of its value; 0 if nothing is asked."""
    margin_short: float
    """The same for a share sold short."""
    maintenance_margin: float
    """Capital below which you are ruined and closed out, as a part of your position's value; 0 if that never happens."""
    price_band: float | None
    """How far from its reference a limit price may be, as a part of it; `None` if any price will do."""
    maker_fee: Fee
    """What a fill of a resting order of yours costs."""
    taker_fee: Fee
    """What a fill costs whose order came in and took."""
    nanoseconds_per_fuel: float
    """Nanoseconds by which a unit of fuel delays what you send after it; 0 if thinking takes no time."""


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


class Trade(NamedTuple):
    """A trade on the tape. Who traded is not published."""

    at: int
    """When it happened at the exchange."""
    price: int
    """Price in cents."""
    quantity: int
    """Shares."""
    aggressor: Side | None
    """The side that came in and took: `Side.BUY` if a buyer lifted an offer. `None` in an auction, in which nobody takes."""

    def signed(self) -> int:
        """Shares with the sign of the side that took: positive if a buyer did, 0 in an auction."""
        aggressor = self.aggressor
        return 0 if aggressor is None else aggressor.sign() * self.quantity


class Phase(enum.IntEnum):
    """Where the session stands. In the three calls orders are collected for an auction, and nothing trades."""

    BEFORE_OPEN = 0
    """The session has not begun, or you have not heard of it yet."""
    CONTINUOUS = 1
    """Orders trade as they come."""
    OPENING_CALL = 2
    """Orders are collected for the opening auction."""
    HALT = 3
    """Trading is halted; orders are collected for the auction that ends the halt."""
    CLOSING_CALL = 4
    """Orders are collected for the closing auction."""
    CLOSED = 5
    """The session is over."""

    def is_call(self) -> bool:
        """Whether orders are being collected for an auction, so that nothing trades for now."""
        return Phase.OPENING_CALL <= self <= Phase.CLOSING_CALL


class Indicative(NamedTuple):
    """What an auction would do if it were held at once."""

    price: int
    """The price at which it would trade, in cents."""
    matched: int
    """Shares that would trade."""
    imbalance: int
    """Shares left over at that price: those of buyers, less those of sellers."""


class SessionState(NamedTuple):
    """The session as you know it."""

    phase: Phase
    """Where it stands."""
    ends: int | None
    """When the call ends, if the venue has announced it; it may be put off."""
    indicative: Indicative | None
    """During a call, what the auction would do if it were held at once; `None` if nothing would trade."""


Symbol = int
"""One of the market's symbols; `Exchange.symbols` lists them. They count from 0."""
