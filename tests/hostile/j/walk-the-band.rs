//! Walks the price up, band by band: takes all offers within reach, waits until the reference has followed, and takes the next, with as many
//! shares as it can pay for.

use assay_sdk::*;

/// Time between two sweeps, and shares of each.
const EVERY: Duration = Duration::from_secs(8);
const SWEEP: u64 = 250;

struct Walk {
    clock: Timer,
    size: u64,
}

impl Strategy for Walk {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Walk { clock: Timer::start(config.market_open, EVERY, exchange), size: SWEEP }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        if let Some(shares) = Quantity::up_to(self.size) {
            exchange.market(Side::Buy, shares);
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        // Too much for its means or the limit: less the next time.
        if let UpdateKind::Rejected { .. } = update.kind {
            self.size /= 2;
        }
    }
}

export!(Walk);
