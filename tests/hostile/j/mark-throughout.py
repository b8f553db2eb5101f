"""Keeps the close marked from well before the closing window until the market ends, whenever that is: the offers are taken and the pair of quotes renewed each second."""

from assay import SECOND, Config, Side, Strategy, Timer

# How long before the end that it has been told it begins.
BEFORE = 60 * SECOND
# How far above the price at the beginning the mid shall be, in the price.
LIFT = 1.01
# Shares in the bid that takes the offers.
SHARES = 40


class Mark(Strategy):
    def initialize(self, config: Config) -> None:
        self.start = config.market_close - BEFORE
        self.clock = Timer(self.exchange, self.start, SECOND)
        self.top: int | None = None

    def on_tick(self) -> None:
        exchange = self.exchange
        if exchange.now() < self.start or not self.clock.is_due():
            return
        mid = exchange.quote().mid()
        if mid is None:
            return
        if self.top is None:
            self.top = int(mid * LIFT)
        exchange.cancel_all()
        exchange.limit(Side.SELL, self.top, 1)
        exchange.limit(Side.BUY, self.top - 1, SHARES)
