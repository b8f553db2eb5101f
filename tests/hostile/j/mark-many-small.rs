//! Marks the close in small steps: four hundred little bids within the last two seconds, none of which moves the price by much.

use assay_sdk::*;

/// Time between two bids, and from the first to the end that it has been told.
const STEP: Duration = Duration::from_millis(5);
const LAST: Duration = Duration::from_secs(2);
/// How much each bid reaches beyond the best offer, in cents.
const REACH: i64 = 4;
/// Shares in each.
const SHARES: Quantity = Quantity::of(15);

struct Mark {
    clock: Timer,
    start: Time,
}

impl Strategy for Mark {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let start = config.market_close - LAST;
        Mark { clock: Timer::start(start, STEP, exchange), start }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if exchange.now() < self.start || !self.clock.is_due(exchange) {
            return;
        }
        // What is left of the bid rests, and is the touch for whoever asks.
        if let Some(ask) = exchange.quote().ask {
            exchange.limit(Limit::buy(ask.price + REACH, SHARES));
        }
    }
}

export!(Mark);
