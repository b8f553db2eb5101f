//! Walks the makers: a bid of one share just below the offer lifts the mid, they quote around the new mid, and so on, for next to nothing.
//! When it has lifted them far enough it sells into their bids, and walks them down to buy back.

use assay_sdk::*;

/// The position held on the way up or, short, on the way down.
const HELD: i64 = 400;
/// How far the makers are walked before the turn, in cents.
const WALK: i64 = 150;
/// Time between steps: makers look every few seconds.
const STEP: Duration = Duration::from_millis(1_000);
/// Shares taken at a time while the position is turned.
const SLICE: u64 = 100;

struct Walk {
    clock: Timer,
    up: bool,
    start: Option<i64>,
    bait: Option<OrderId>,
}

impl Strategy for Walk {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Walk { clock: Timer::start(config.market_open, STEP, exchange), up: true, start: None, bait: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let side = if self.up { Side::Buy } else { Side::Sell };
        // First the position, quickly.
        let gap = side.sign() * HELD - exchange.position();
        if let (Some(side), Some(shares)) = (Side::toward(gap), Quantity::up_to(gap.unsigned_abs().min(SLICE)))
            && gap.abs() > 10
        {
            if let Some(bait) = self.bait.take() {
                exchange.cancel(bait);
            }
            exchange.market(side, shares);
            self.start = None;
            return;
        }
        let (near, far) = if self.up { (bid, ask) } else { (ask, bid) };
        let start = *self.start.get_or_insert(far.price.cents());
        if (far.price.cents() - start) * side.sign() >= WALK {
            self.up = !self.up;
            self.start = None;
            return;
        }
        // Then one share a cent from the far touch.
        let price = far.price - side.sign();
        if price != near.price {
            match self.bait {
                Some(bait) => _ = exchange.modify(bait, price, Quantity::of(1)),
                None => self.bait = Some(exchange.limit(Limit::new(side, price, Quantity::of(1)).post_only())),
            }
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if update.ends_order() && self.bait == Some(update.order) {
            self.bait = None;
        }
    }
}

export!(Walk);
