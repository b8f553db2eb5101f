//! TWAP execution: buy a given number of shares evenly over the session (time-weighted average price).
//!
//! Not a bet but a job: someone wants these shares by the end of the day, at about the average price and without moving it. Each
//! slice first waits at the near touch, where it earns the spread; what has not traded by the next slice crosses to the far one.
//!
//! It shows how to be exact about what is done: a cancelled order may trade until the exchange says that it has ended, so the next
//! order is sized in `on_order_update`, when that is certain, and the job can never be done twice.
//!
//! Its profit is the market's drift while it holds, less what trading cost: about nothing on average. Judge it by its shortfall.

use assay_sdk::*;

/// The job: the side and the number of shares.
const SIDE: Side = Side::Buy;
/// See [`SIDE`].
const SHARES: u64 = 1_000;
/// Slices of the session. All is due one slice before the close, which leaves the last one to finish.
const SLICES: u64 = 60;

struct Twap {
    clock: Timer,
    /// Slices begun.
    begun: u64,
    /// Shares traded.
    done: u64,
    /// The order under way: at most one.
    working: Option<OrderId>,
}

impl Twap {
    /// Sends what is due and not done, at `level`'s price.
    fn send(&mut self, level: Option<Level>, exchange: &mut Exchange) {
        let due = SHARES * self.begun.min(SLICES - 1) / (SLICES - 1);
        // An empty side has no price: try again at the next slice.
        if let (Some(level), Some(quantity)) = (level, Quantity::up_to(due.saturating_sub(self.done))) {
            self.working = Some(exchange.limit(Limit::new(SIDE, level.price, quantity)));
        }
    }
}

impl Strategy for Twap {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        let slice = (config.market_close - config.market_open) / SLICES as u32;
        Twap { clock: Timer::start(config.market_open, slice, exchange), begun: 0, done: 0, working: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        // The scenario's own ticks come here too.
        if !self.clock.is_due(exchange) {
            return;
        }
        self.begun += 1;
        match self.working {
            // The last slice did not get done by waiting. What follows waits for the answer.
            Some(order) => _ = exchange.cancel(order),
            None => self.send(exchange.quote().level(SIDE), exchange),
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, exchange: &mut Exchange) {
        if let UpdateKind::Fill { quantity, .. } = update.kind {
            self.done += quantity.shares();
        }
        if update.ends_order() && self.working == Some(update.order) {
            self.working = None;
            // Now it is certain how much is missing. The far touch trades at once, but at no worse a price than the one seen.
            if update.kind == (UpdateKind::Cancelled { reason: Reason::Requested }) {
                self.send(exchange.quote().level(SIDE.opposite()), exchange);
            }
        }
    }

    fn on_simulation_end(&mut self, exchange: &mut Exchange) {
        exchange.log(format!("done {} of {SHARES} shares", self.done));
    }
}

export!(Twap);
