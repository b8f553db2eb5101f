"""A starting point: it buys when the bid shows more shares than the offer, and sells when it is the other way round.

It already trades, and does not earn yet: the price follows the imbalance by less than the spread costs. Change
`wanted_position` first: everything else supports it. `GUIDE-python.md` of the guest SDK is the whole interface on one page.
"""

from assay import SECOND, Config, OrderUpdate, Quote, Side, Strategy, Timer, UpdateKind

# The largest position to hold, long or short, in shares.
POSITION_MAX = 100
# How often to decide, in nanoseconds.
PERIOD = 5 * SECOND
# How long before the earliest close to be flat: anything still held then must be sold to others at their prices.
GO_FLAT = 30 * SECOND


class MyStrategy(Strategy):
    def wanted_position(self, quote: Quote) -> int | None:
        """The idea of the strategy: how many shares to hold, given the top of the book; `None` to stay as it is."""
        # The bid's share of the visible shares at the best prices, 0 to 1. `None` while a side is empty.
        imbalance = quote.imbalance()
        if imbalance is None:
            return None
        return POSITION_MAX if imbalance > 0.7 else -POSITION_MAX if imbalance < 0.3 else None

    def initialize(self, config: Config) -> None:
        """Once, before the market opens."""
        self.clock = Timer(self.exchange, config.market_open, PERIOD)
        # The time from which to hold nothing.
        self.flat_from = config.market_close - GO_FLAT
        # The order that has not ended yet. Holding on to it keeps us from sending the same order twice.
        self.working: int | None = None

    def on_tick(self) -> None:
        """At the scenario's ticks and at requested wake-ups."""
        # In a halt nothing trades.
        if not self.clock.is_due() or self.exchange.session().phase.is_call():
            return
        # An order that is still waiting was priced for an older market. The next decision comes after it has ended.
        if self.working is not None:
            self.exchange.cancel(self.working)
            return
        quote = self.exchange.quote()
        is_late = self.exchange.now() >= self.flat_from
        wanted = 0 if is_late else self.wanted_position(quote)
        if wanted is None:
            return
        missing = wanted - self.exchange.position()
        # Nothing to trade is a separate case: a quantity is never 0.
        side = Side.toward(missing)
        if side is None:
            return
        if is_late:
            self.working = self.exchange.market(side, abs(missing))
            return
        # Wait at the best price of our own side: we earn the spread if someone trades with us, and pay nothing if nobody does.
        touch = quote.level(side)
        if touch is not None:
            self.working = self.exchange.limit(side, touch.price, abs(missing))

    # Not here: `on_market_data(self)`, at every change of the top of the book. This strategy looks at its own pace; a faster one would act
    # there, and would be slower to simulate.

    def on_order_update(self, update: OrderUpdate) -> None:
        """The exchange answered a request, or an order traded."""
        if fill := update.fill():
            self.exchange.log(f"{fill.side.name.lower()} {fill.quantity} at {fill.price / 100:.2f}")
        elif update.kind is UpdateKind.REJECTED:
            self.exchange.log(f"rejected: {update.reason}")
        if update.ends_order() and update.order == self.working:
            self.working = None

    def on_simulation_end(self) -> None:
        """Once, after the close."""
        exchange = self.exchange
        exchange.log(f"done: holding {exchange.position()} shares, {exchange.realised()} cents earned, {exchange.fees()} paid in fees")
