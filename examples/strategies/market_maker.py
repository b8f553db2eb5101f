"""Market making with inventory skew: quote both sides, earn the spread, and lean the quotes against what you hold.

The twin of `market_maker.rs`, order for order. Whoever buys from everyone who sells ends up holding what falls. So the centre of the two
quotes is not the middle but a price that sinks with a long position and rises with a short one (the idea of Avellaneda and Stoikov, 2008, in
its simplest form): the side that would bring the position back to zero becomes the better price in the market and trades first.

It looks at the market at the scenario's ticks, not at every change: its own quotes are part of the mid, and answering each change that they
make with another would be a conversation with itself.
"""

import math

from assay import Exchange, OrderUpdate, Side, Strategy, UpdateKind

# Shares in each quote.
LOT = 50
# The position at which a side stops quoting, in shares.
POSITION_MAX = 500
# Distance of each quote from the centre, in cents.
HALF_SPREAD = 2.0
# How far the centre moves against the position, in cents a lot held.
SKEW_PER_LOT = 0.5


class Leg:
    """One side of the market and the order that rests there."""

    def __init__(self, side: Side, exchange: Exchange) -> None:
        self.side, self.exchange = side, exchange
        self.order: int | None = None
        # The price we last asked for; `None` if that was refused.
        self.asked: int | None = None

    def quote(self, price: int | None) -> None:
        """Brings the resting order to `price`, or takes it out for `None`."""
        exchange = self.exchange
        if self.order is None:
            if price is not None:
                # Post-only: a maker that takes by accident pays the spread that it wanted to earn.
                self.order = exchange.limit(self.side, price, LOT, post_only=True)
        elif price is None:
            exchange.cancel(self.order)
            self.order = None
        # An unchanged price keeps its place in the queue: sending it again would gain nothing.
        elif price != self.asked:
            exchange.modify(self.order, price, LOT)
        self.asked = price

    def hear(self, update: OrderUpdate) -> None:
        """Hears what became of a request."""
        if update.order != self.order:
            return
        if update.ends_order():
            # Exactly one update ends each order. The next look at the market quotes the side again.
            self.order = None
        elif update.kind is UpdateKind.REJECTED:
            # The order rests where it was; ask again.
            self.asked = None


class MarketMaker(Strategy):
    def __init__(self) -> None:
        self.bid, self.ask = Leg(Side.BUY, self.exchange), Leg(Side.SELL, self.exchange)

    def on_tick(self) -> None:
        quote = self.exchange.quote()
        best_bid, best_ask, imbalance = quote.bid, quote.ask, quote.imbalance()
        if best_bid is None or best_ask is None or imbalance is None:
            return
        # The price between bid and ask, nearer to the side with fewer shares, which gives way first.
        middle = best_bid.price + imbalance * (best_ask.price - best_bid.price)
        position = self.exchange.position()
        centre = middle - SKEW_PER_LOT * (position / LOT)
        # Rounded away from the centre, which can only widen our spread, and short of the other side, which would be refused.
        bid = min(math.floor(centre - HALF_SPREAD), best_ask.price - 1)
        ask = max(math.ceil(centre + HALF_SPREAD), best_bid.price + 1)
        self.bid.quote(bid if position < POSITION_MAX else None)
        self.ask.quote(ask if position > -POSITION_MAX else None)

    def on_order_update(self, update: OrderUpdate) -> None:
        self.bid.hear(update)
        self.ask.hear(update)
