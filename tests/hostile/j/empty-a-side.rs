//! Takes a side of the book away again and again, so that the spread has no value while it looks and nobody trades against it.

use assay_sdk::*;

/// Shares of a sweep, as many each way.
const SWEEP: u64 = 400;

struct Empty {
    clock: Timer,
    size: u64,
}

impl Strategy for Empty {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Empty { clock: Timer::start(config.market_open, Duration::from_millis(1_500), exchange), size: SWEEP }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let side = if exchange.position() > 0 { Side::Sell } else { Side::Buy };
        let wanted = self.size + exchange.position().unsigned_abs();
        if let Some(shares) = Quantity::up_to(wanted) {
            exchange.market(side, shares);
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if let UpdateKind::Rejected { .. } = update.kind {
            self.size = self.size * 3 / 4;
        }
    }
}

export!(Empty);
