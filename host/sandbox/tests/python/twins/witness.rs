//! Logs all that it is told, for comparison with what its twin in Python is told: `witness.py`.

use assay_sdk::*;

struct Witness {
    order: Option<OrderId>,
}

/// A part of one, in millionths.
fn millionths(number: f64) -> i64 {
    (number * 1e6).round() as i64
}

fn side(side: Option<Side>) -> i64 {
    side.map_or(0, Side::sign)
}

impl Witness {
    fn tell(&self, what: &str, exchange: &mut Exchange) {
        let new: Vec<String> = exchange
            .new_trades()
            .iter()
            .map(|trade| format!("{} {} {} {}", trade.at.0, trade.price.cents(), trade.quantity, trade.signed()))
            .collect();
        let kept = exchange.trades(1_001).len();
        let SessionState { phase, ends, indicative } = exchange.session();
        let indicative = indicative.map_or((0, 0, 0), |known| (known.price.cents(), known.matched, known.imbalance));
        let ahead = self.order.and_then(|order| exchange.queue_ahead(order)).map_or(-1, |shares| shares as i64);
        let average = exchange.average_cost().map_or(-1, millionths);
        let (position, cash, realised, fees) =
            (exchange.position(), exchange.cash(), exchange.realised(), exchange.fees());
        exchange.log(format!(
            "{what} {} {} {} {} {ahead} {average} {position} {cash} {realised} {fees} {kept} {} {}",
            phase as u8,
            ends.map_or(0, |at| at.0),
            indicative.0,
            indicative.2,
            new.len(),
            new.join(" "),
        ));
    }
}

impl Strategy for Witness {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        let times = [config.market_open.0, config.market_close.0];
        let lengths = [config.close_window, config.latency].map(|length| length.as_nanos());
        let parts = [config.margin_long, config.margin_short, config.maintenance_margin, config.nanoseconds_per_fuel];
        let fees =
            [config.maker_fee, config.taker_fee].map(|fee| (millionths(fee.cents_per_share), millionths(fee.of_value)));
        let band = config.price_band.map_or(0, millionths);
        let (tick, limit, loss) = (config.tick_size, config.position_limit, config.loss_limit.unwrap_or(0));
        let parts = parts.map(millionths);
        exchange.log(format!(
            "{} {} {} {} {} {} {tick} {limit} {loss} {band} {} {} {} {} {} {} {} {}",
            config.symbol,
            config.starting_cash,
            times[0],
            times[1],
            lengths[0],
            lengths[1],
            parts[0],
            parts[1],
            parts[2],
            parts[3],
            fees[0].0,
            fees[0].1,
            fees[1].0,
            fees[1].1,
        ));
        Witness { order: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        self.tell("tick", exchange);
        if let (None, Some(bid)) = (self.order, exchange.quote().bid) {
            self.order = Some(exchange.limit(Limit::buy(bid.price, Quantity::of(10))));
        } else if exchange.now().0 % 7_000_000_000 == 0 {
            exchange.market(if exchange.position() > 0 { Side::Sell } else { Side::Buy }, Quantity::of(3));
        }
    }

    fn on_market_data(&mut self, _: &Quote, exchange: &mut Exchange) {
        self.tell("quote", exchange);
    }

    fn on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange) {
        let fill = update.fill().map_or((0, 0), |fill| (fill.signed(), fill.price.cents()));
        self.tell(&format!("update {} {} {}", side(update.side), fill.0, fill.1), exchange);
        if self.order == Some(update.order) && update.ends_order() {
            self.order = None;
        }
    }

    fn on_simulation_end(&mut self, exchange: &mut Exchange) {
        self.tell("end", exchange);
    }
}

export!(Witness);
