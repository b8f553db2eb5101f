"""Momentum: hold a position in the direction in which a fast average of the price has left a slow one.

The twin of `momentum.rs`, order for order. It shows the *target position* idiom: the signal decides what to hold, one function closes the
gap, and while one order is under way no second is sent, because the position does not yet include it.

It loses on `calm`, as every trend follower should there: the price has no memory, and each change of mind costs a spread and a fee. It is here for the
idiom.
"""

from assay import SECOND, Config, OrderUpdate, Side, Strategy, Timer

# The position to hold while there is a trend, in shares.
POSITION = 50
# Weight of the newest price in the fast average: a memory of about 10 samples.
FAST = 0.2
# The same for the slow one: about 60 samples.
SLOW = 0.033
# The averages must be this far apart, in cents, or the move is noise that would not pay for the spread.
THRESHOLD = 1.5
# How much worse than the touch a price may get while the order is under way, in cents.
SLIPPAGE = 5
# Time between samples; market data comes irregularly, and an average over it would be one over activity.
PERIOD = 1 * SECOND


class Momentum(Strategy):
    def initialize(self, config: Config) -> None:
        self.clock = Timer(self.exchange, config.market_open, PERIOD)
        # Fast and slow average, once there is a price.
        self.averages: tuple[float, float] | None = None
        # The order under way.
        self.working: int | None = None

    def target(self) -> int:
        """What the averages say to hold."""
        if self.averages is None:
            return 0
        fast, slow = self.averages
        return POSITION if fast > slow + THRESHOLD else -POSITION if fast < slow - THRESHOLD else 0

    def trade_to(self, target: int) -> None:
        """Sends what is missing to `target`, if nothing is under way."""
        exchange = self.exchange
        gap = target - exchange.position()
        side = Side.toward(gap)
        if side is None or self.working is not None:
            return
        touch = exchange.quote().level(side.opposite())
        if touch is not None:
            self.working = exchange.limit(side, touch.price + side.sign() * SLIPPAGE, abs(gap))

    def on_tick(self) -> None:
        # The scenario's own ticks come here too.
        if not self.clock.is_due():
            return
        # Whatever did not trade within a period is priced anew.
        if self.working is not None:
            self.exchange.cancel(self.working)
        mid = self.exchange.quote().mid()
        if mid is not None:
            fast, slow = self.averages or (mid, mid)
            self.averages = fast + FAST * (mid - fast), slow + SLOW * (mid - slow)
            self.trade_to(self.target())

    def on_order_update(self, update: OrderUpdate) -> None:
        if update.ends_order() and update.order == self.working:
            self.working = None
