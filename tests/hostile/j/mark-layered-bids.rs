//! Holds shares and shows large bids below the touch towards the close, so that those who count the book raise their own bids.

use assay_sdk::*;

/// The position that is to be marked, in shares.
const WANTED: i64 = 500;
/// The bids that are shown: how many, how far apart in cents, how large.
const LAYERS: i64 = 5;
const SHOWN: Quantity = Quantity::of(100);
/// How long, before the end that it has been told and beyond it.
const LAST: Duration = Duration::from_secs(180);

struct Mark {
    close: Time,
    clock: Timer,
}

impl Strategy for Mark {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Mark { close: config.market_close, clock: Timer::start(config.market_open, Duration::from_secs(1), exchange) }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let left = self.close - exchange.now();
        let Some(bid) = exchange.quote().bid else { return };
        if left > LAST {
            if left < LAST * 3 && exchange.position() < WANTED {
                exchange.market(Side::Buy, Quantity::of(10));
            }
            return;
        }
        exchange.cancel_all();
        for layer in 1..=LAYERS {
            exchange.limit(Limit::buy(bid.price - layer, SHOWN).post_only());
        }
    }
}

export!(Mark);
