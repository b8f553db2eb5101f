"""A market maker whose parameters are set badly on purpose: `mistuned_maker.rs` in Python. With equal parameters it sends the same orders."""

import math

from assay import PRICE_MAX_CENTS, SECOND, Config, OrderUpdate, Side, Strategy, parameter

# No new quotes this long before the close.
LAST = 60 * SECOND


class Maker(Strategy):
    half_spread = parameter(14.0, 0.5, 20.0, log=True)
    """Distance of a quote from the middle, in cents."""
    tolerance = parameter(6, 0, 8)
    """How far a quote may be from where it should be before it is moved, in cents."""
    skew = parameter(0.001, 0.001, 0.2, log=True)
    """How far the middle sinks for each share held, in cents."""
    lot = parameter(10, 5, 100, log=True)
    """Shares in a quote."""
    position_max = parameter(400, 40, 400)
    """The position at which a side stops quoting, in shares."""

    def initialize(self, config: Config) -> None:
        self.exchange.mute_market_data()
        self.close = config.market_close
        self.legs: dict[Side, tuple[int, int] | None] = {Side.BUY: None, Side.SELL: None}

    def on_tick(self) -> None:
        exchange = self.exchange
        quote = exchange.quote()
        if quote.bid is None or quote.ask is None:
            return
        position = exchange.position()
        middle = (quote.bid.price + quote.ask.price) / 2 - self.skew * position
        closing = self.close - exchange.now() < LAST
        for side, sign in ((Side.BUY, 1), (Side.SELL, -1)):
            if side is Side.BUY:
                wanted = min(math.floor(middle - self.half_spread), quote.ask.price - 1)
            else:
                wanted = max(math.ceil(middle + self.half_spread), quote.bid.price + 1)
            lot = min(max(self.position_max - position * sign, 0), self.lot)
            quotes = not closing and lot > 0 and 1 <= wanted <= PRICE_MAX_CENTS
            leg = self.legs[side]
            if leg is None:
                if quotes:
                    self.legs[side] = (exchange.limit(side, wanted, lot, post_only=True), wanted)
            elif not quotes:
                exchange.cancel(leg[0])
                self.legs[side] = None
            elif abs(leg[1] - wanted) > self.tolerance:
                exchange.modify(leg[0], wanted, lot)
                self.legs[side] = (leg[0], wanted)

    def on_order_update(self, update: OrderUpdate) -> None:
        for side, leg in self.legs.items():
            if leg is not None and leg[0] == update.order and update.ends_order():
                self.legs[side] = None
