//! Momentum: hold a position in the direction in which a fast average of the price has left a slow one.
//!
//! It shows the *target position* idiom: the signal decides what to hold, one function closes the gap, and while one order is under
//! way no second is sent, because the position does not yet include it.
//!
//! It loses on `calm`, as every trend follower should there: the price has no memory, and each change of mind costs a spread and a fee. It is here for the
//! idiom.

use assay_sdk::*;

/// The position to hold while there is a trend, in shares.
const POSITION: i64 = 50;
/// Weight of the newest price in the fast average: a memory of about 10 samples.
const FAST: f64 = 0.2;
/// The same for the slow one: about 60 samples.
const SLOW: f64 = 0.033;
/// The averages must be this far apart, in cents, or the move is noise that would not pay for the spread.
const THRESHOLD: f64 = 1.5;
/// How much worse than the touch a price may get while the order is under way, in cents.
const SLIPPAGE: i64 = 5;
/// Time between samples; market data comes irregularly, and an average over it would be one over activity.
const PERIOD: Duration = Duration::from_secs(1);

struct Momentum {
    clock: Timer,
    /// Fast and slow average, once there is a price.
    averages: Option<(f64, f64)>,
    /// The order under way.
    working: Option<OrderId>,
}

impl Momentum {
    /// What the averages say to hold.
    fn target(&self) -> i64 {
        match self.averages {
            Some((fast, slow)) if fast > slow + THRESHOLD => POSITION,
            Some((fast, slow)) if fast < slow - THRESHOLD => -POSITION,
            _ => 0,
        }
    }

    /// Sends what is missing to `target`, if nothing is under way.
    fn trade_to(&mut self, target: i64, exchange: &mut Exchange) {
        let gap = target - exchange.position();
        let (Some(side), Some(quantity)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs())) else { return };
        if let (None, Some(touch)) = (self.working, exchange.quote().level(side.opposite())) {
            let worst = touch.price + side.sign() * SLIPPAGE;
            self.working = Some(exchange.limit(Limit::new(side, worst, quantity)));
        }
    }
}

impl Strategy for Momentum {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        Momentum { clock: Timer::start(config.market_open, PERIOD, exchange), averages: None, working: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        // The scenario's own ticks come here too.
        if !self.clock.is_due(exchange) {
            return;
        }
        // Whatever did not trade within a period is priced anew.
        if let Some(order) = self.working {
            exchange.cancel(order);
        }
        if let Some(mid) = exchange.quote().mid() {
            let (fast, slow) = self.averages.unwrap_or((mid, mid));
            self.averages = Some((fast + FAST * (mid - fast), slow + SLOW * (mid - slow)));
            self.trade_to(self.target(), exchange);
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if update.ends_order() && self.working == Some(update.order) {
            self.working = None;
        }
    }
}

export!(Momentum);
