"""Doubles its bet after every loss until it has won one unit back: wins nearly always, and loses everything once in a while."""

from assay import SECOND, Config, Side, Strategy, Timer

# The first bet in shares, and the largest that its means allow.
UNIT = 10
BET_MAX = 1_200
# Cents of gain or loss, per share, that decide a bet.
DECIDED = 6


class Double(Strategy):
    def initialize(self, config: Config) -> None:
        self.exchange.mute_market_data()
        self.clock = Timer(self.exchange, config.market_open, 2 * SECOND)
        self.close = config.market_close
        self.bet = UNIT
        self.entry: float | None = None
        self.side = Side.BUY

    def on_tick(self) -> None:
        exchange = self.exchange
        if not self.clock.is_due():
            return
        mid = exchange.quote().mid()
        if mid is None:
            return
        position = exchange.position()
        if self.entry is None:
            if position == 0 and self.close - exchange.now() > 60 * SECOND:
                self.side = Side.BUY if exchange.random_below(2) == 0 else Side.SELL
                exchange.market(self.side, self.bet)
                self.entry = mid
            return
        gain = (mid - self.entry) * self.side.sign()
        if abs(gain) >= DECIDED:
            if position != 0:
                exchange.market(self.side.opposite(), abs(position))
            self.bet = UNIT if gain > 0 else min(2 * self.bet, BET_MAX)
            self.entry = None
