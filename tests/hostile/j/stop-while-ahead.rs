//! Bets large until it is ahead by a small amount, and then does nothing more; while it is behind it bets on.

use assay_sdk::*;

/// Shares of a bet, and the gain at which it stops, in cents.
const BET: i64 = 300;
const ENOUGH: i64 = 4_000;
/// How long a bet is held.
const HOLD: u64 = 60;

struct Ahead {
    clock: Timer,
    start: i64,
    ticks: u64,
    way: i64,
    done: bool,
}

impl Strategy for Ahead {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, Duration::from_secs(1), exchange);
        Ahead { clock, start: config.starting_cash, ticks: 0, way: 1, done: false }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let Some(mid) = exchange.quote().mid() else { return };
        let position = exchange.position();
        let gain = exchange.cash() - self.start + (position as f64 * mid) as i64 - position.abs();
        self.done |= gain > ENOUGH;
        if self.ticks.is_multiple_of(HOLD) {
            self.way = if exchange.random_below(2) == 0 { 1 } else { -1 };
        }
        self.ticks += 1;
        let gap = if self.done { 0 } else { self.way * BET } - position;
        if let (Some(side), Some(shares)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs().min(100))) {
            exchange.market(side, shares);
        }
    }
}

export!(Ahead);
