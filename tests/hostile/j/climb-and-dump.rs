//! Climbs in small steps, each of which makers answer with a better price for the next seller; then sells everything with one order. And the other way round.

use assay_sdk::*;

/// Shares of a climb, of a step, and what a climb may cost, in cents.
const TARGET: i64 = 1_200;
const STEP: u64 = 150;
const CAPITAL: i64 = 37_000_000;
const BETWEEN_STEPS: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_secs(60);

struct Climb {
    next: Time,
    end: Time,
    side: Side,
    /// An order was refused: it climbs no further.
    is_full: bool,
}

impl Strategy for Climb {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let next = config.market_open + Duration::from_secs(20);
        exchange.wake_at(next);
        Climb { next, end: config.market_close - Duration::from_secs(20), side: Side::Buy, is_full: false }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let now = exchange.now();
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let position = exchange.position();
        if now < self.next || (position == 0 && now > self.end) {
            return;
        }
        let missing = TARGET.min(CAPITAL / ask.price.cents()) - position.abs();
        if missing >= 50 && !self.is_full {
            let touch = if self.side == Side::Buy { ask } else { bid };
            if let Some(shares) = Quantity::up_to(touch.quantity.min(STEP).min(missing as u64)) {
                exchange.market(self.side, shares);
            }
            self.next = now + BETWEEN_STEPS;
        } else {
            if let (Some(side), Some(all)) = (Side::toward(-position), Quantity::up_to(position.unsigned_abs())) {
                exchange.market(side, all);
            }
            (self.is_full, self.side, self.next) = (false, self.side.opposite(), now + PAUSE);
        }
        exchange.wake_at(self.next);
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        self.is_full |= matches!(update.kind, UpdateKind::Rejected { .. });
    }
}

export!(Climb);
