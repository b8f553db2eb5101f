//! Bets on a direction, and panics as soon as it has lost a little: a stopped strategy has its position marked for it, and perhaps its seed left out.

use assay_sdk::*;

/// Shares of the bet, and the loss at which it gives up, in cents.
const BET: i64 = 200;
const LOSS: i64 = 6_000;

struct GiveUp {
    clock: Timer,
    way: i64,
    start: i64,
}

impl Strategy for GiveUp {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let way = if exchange.random_below(2) == 0 { 1 } else { -1 };
        GiveUp { clock: Timer::start(config.market_open, Duration::from_secs(1), exchange), way, start: config.starting_cash }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let gap = self.way * BET - exchange.position();
        if let (Some(side), Some(shares)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs().min(20))) {
            exchange.market(side, shares);
        }
        if let Some(mid) = exchange.quote().mid() {
            let equity = exchange.cash() + (exchange.position() as f64 * mid) as i64;
            assert!(equity - self.start > -LOSS, "an accident");
        }
    }
}

export!(GiveUp);
