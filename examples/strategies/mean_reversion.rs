//! Mean reversion: when the price strays far from its recent average, bet on its return with patient orders.
//!
//! The distance is measured in standard deviations of the window (a z-score), so that "far" adapts to how much the price moves
//! anyway. Orders rest at the touch: a bet on a return is no bet worth the spread.
//! On `calm` what it earns cannot be told from zero: who trades there knows something about half the time.

use assay_sdk::*;
use std::collections::VecDeque;

/// Samples in the window, and the time between them.
const WINDOW: usize = 300;
const PERIOD: Duration = Duration::from_secs(1);
/// Enter this many standard deviations away from the average, leave at this many.
const ENTER: f64 = 2.0;
const LEAVE: f64 = 0.5;
/// A window that moves less than this has no deviations to speak of, in cents.
const DEVIATION_MIN: f64 = 1.0;
/// The position to take, in shares.
const POSITION: i64 = 100;

struct MeanReversion {
    clock: Timer,
    window: VecDeque<f64>,
    /// What we want to hold.
    target: i64,
}

impl MeanReversion {
    /// How many standard deviations `mid` is above the window's average; `None` until the window is full and moving.
    fn score(&self, mid: f64) -> Option<f64> {
        if self.window.len() < WINDOW {
            return None;
        }
        let mean = self.window.iter().sum::<f64>() / WINDOW as f64;
        let variance = self.window.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (WINDOW - 1) as f64;
        let deviation = variance.sqrt();
        (deviation >= DEVIATION_MIN).then(|| (mid - mean) / deviation)
    }
}

impl Strategy for MeanReversion {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        let clock = Timer::start(config.market_open, PERIOD, exchange);
        MeanReversion { clock, window: VecDeque::with_capacity(WINDOW), target: 0 }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        // No mid while a side is empty: skip the sample, an invented price would poison the average.
        let quote = exchange.quote();
        let Some(mid) = quote.mid() else { return };
        self.target = match self.score(mid) {
            Some(z) if z >= ENTER => -POSITION,
            Some(z) if z <= -ENTER => POSITION,
            Some(z) if z.abs() <= LEAVE => 0,
            // In between, or not known yet: stay with the last decision.
            _ => self.target,
        };
        if self.window.len() == WINDOW {
            self.window.pop_front();
        }
        self.window.push_back(mid);

        // One order at most, priced anew every period. While any is live or being cancelled, wait for its end: its shares may yet
        // trade, and the position does not count them.
        if !exchange.open_orders().is_empty() {
            exchange.cancel_all();
            return;
        }
        let gap = self.target - exchange.position();
        let (Some(side), Some(quantity)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs())) else { return };
        if let Some(touch) = quote.level(side) {
            exchange.limit(Limit::new(side, touch.price, quantity).post_only());
        }
    }
}

export!(MeanReversion);
