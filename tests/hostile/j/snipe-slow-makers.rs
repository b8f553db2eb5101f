//! Takes what slow makers have not yet moved: after a burst of trades on one side it takes the rest of that side at once, and gives it back when
//! they have requoted.

use assay_sdk::*;

/// Cents that the mid must have moved within a moment, shares of an order, and how long they are held.
const MOVED: f64 = 3.0;
const MOMENT: Duration = Duration::from_millis(800);
const SHARES: u64 = 80;
const HOLD: Duration = Duration::from_secs(5);

struct Snipe {
    /// The mid a moment ago, and when.
    before: Option<(Time, f64)>,
    taken: Option<Time>,
}

impl Strategy for Snipe {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Snipe { before: None, taken: None }
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let now = exchange.now();
        let Some(mid) = quote.mid() else { return };
        match self.before {
            Some((then, before)) if now - then < MOMENT => {
                let change = mid - before;
                if change.abs() >= MOVED && self.taken.is_none() {
                    let side = if change > 0.0 { Side::Buy } else { Side::Sell };
                    if let Some(far) = quote.level(side.opposite())
                        && let Some(shares) = Quantity::up_to(far.quantity.min(SHARES))
                    {
                        let order = Order::limit(side, far.price, shares);
                        exchange.order(order.time_in_force(TimeInForce::ImmediateOrCancel));
                        self.taken = Some(now);
                        exchange.wake_in(HOLD);
                    }
                }
            }
            _ => self.before = Some((now, mid)),
        }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let now = exchange.now();
        if self.taken.is_none_or(|taken| now - taken < HOLD) {
            return;
        }
        let position = exchange.position();
        match (Side::toward(-position), Quantity::up_to(position.unsigned_abs())) {
            (Some(side), Some(shares)) => {
                exchange.market(side, shares);
                self.taken = Some(now);
            }
            _ => self.taken = None,
        }
    }
}

export!(Snipe);
