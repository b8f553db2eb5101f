"""Logs all that it is told, for comparison with what its twin in Rust is told: `witness.rs`."""

from assay import *


def millionths(number):
    return round(number * 1e6)


class Witness(Strategy):
    def initialize(self, config):
        self.order = None
        parts = [config.margin_long, config.margin_short, config.maintenance_margin, config.nanoseconds_per_fuel]
        fees = [part for fee in (config.maker_fee, config.taker_fee) for part in fee]
        print(
            config.symbol, config.starting_cash, config.market_open, config.market_close, config.close_window, config.latency,
            config.tick_size, config.position_limit, config.loss_limit or 0, millionths(config.price_band or 0),
            *map(millionths, parts), *map(millionths, fees),
        )

    def tell(self, what):
        exchange = self.exchange
        new = [f"{trade.at} {trade.price} {trade.quantity} {trade.signed()}" for trade in exchange.new_trades()]
        kept = len(exchange.trades(1001))
        phase, ends, indicative = exchange.session()
        price, _, imbalance = indicative or (0, 0, 0)
        ahead = None if self.order is None else exchange.queue_ahead(self.order)
        average = exchange.average_cost()
        exchange.log(
            f"{what} {int(phase)} {ends or 0} {price} {imbalance} {-1 if ahead is None else ahead} "
            f"{-1 if average is None else millionths(average)} {exchange.position()} {exchange.cash()} {exchange.realised()} "
            f"{exchange.fees()} {kept} {len(new)} {' '.join(new)}"
        )

    def on_tick(self):
        self.tell("tick")
        exchange = self.exchange
        bid = exchange.quote().bid
        if self.order is None and bid is not None:
            self.order = exchange.limit(Side.BUY, bid.price, 10)
        elif exchange.now() % 7_000_000_000 == 0:
            exchange.market(Side.SELL if exchange.position() > 0 else Side.BUY, 3)

    def on_market_data(self):
        self.tell("quote")

    def on_order_update(self, update):
        fill = update.fill()
        signed, price = (fill.signed(), fill.price) if fill else (0, 0)
        side = 0 if update.side is None else update.side.sign()
        self.tell(f"update {side} {signed} {price}")
        if self.order == update.order and update.ends_order():
            self.order = None

    def on_simulation_end(self):
        self.tell("end")
