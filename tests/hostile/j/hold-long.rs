//! Holds a long position all session, in the belief that the makers' rounding, or whoever made the market, has given it a direction.

use assay_sdk::*;

/// The position, in shares: negative is short.
const HELD: i64 = 300;
/// Shares of an order.
const SLICE: u64 = 20;

struct Hold {
    clock: Timer,
}

impl Strategy for Hold {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Hold { clock: Timer::start(config.market_open, Duration::from_secs(1), exchange) }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let gap = HELD - exchange.position();
        if let (Some(side), Some(shares)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs().min(SLICE))) {
            exchange.market(side, shares);
        }
    }
}

export!(Hold);
