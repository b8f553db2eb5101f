//! Takes and gives back, as `sweep-and-give-back`, with a second in between, so that everybody has answered.

use assay_sdk::*;

/// Most shares of a sweep, how far beyond the touch it reaches in cents, how long they are held, and the pause until the next sweep.
const SHARES_MAX: u64 = 800;
const REACH: i64 = 15;
const HELD: Duration = Duration::from_millis(1_000);
const PAUSE: Duration = Duration::from_secs(30);
/// What a sweep may cost, in cents: less than the starting capital allows at four times margin.
const CAPITAL: i64 = 38_500_000;
/// It waits until the spread is at most this, in cents, and the touch shows at least so many shares.
const SPREAD_MAX: i64 = 1_000;
const TOUCH_MIN: u64 = 1;

struct Sweep {
    next: Time,
    end: Time,
    side: Side,
}

impl Strategy for Sweep {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let next = config.market_open + Duration::from_secs(20);
        exchange.wake_at(next);
        Sweep { next, end: config.market_close - Duration::from_secs(20), side: Side::Buy }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let now = exchange.now();
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        if now < self.next {
            return;
        }
        exchange.cancel_all();
        let position = exchange.position();
        if let (Some(side), Some(all)) = (Side::toward(-position), Quantity::up_to(position.unsigned_abs())) {
            // Everything back in one order, before those who sold can know better; then the other way round.
            exchange.market(side, all);
            self.side = self.side.opposite();
            self.next = now + PAUSE;
        } else if now < self.end {
            let touch = if self.side == Side::Buy { ask } else { bid };
            let affordable = (CAPITAL / ask.price.cents()) as u64;
            let inviting = ask.price - bid.price <= SPREAD_MAX && touch.quantity >= TOUCH_MIN;
            if let (true, Some(shares)) = (inviting, Quantity::up_to(SHARES_MAX.min(affordable))) {
                exchange.limit(Limit::new(self.side, touch.price + self.side.sign() * REACH, shares));
                self.next = now + HELD;
            } else {
                self.next = now + Duration::from_secs(1);
            }
        } else {
            return;
        }
        exchange.wake_at(self.next);
    }
}

export!(Sweep);
