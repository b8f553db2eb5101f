//! Shows a large bid a few cents behind the touch, so that the book leans up, and sells hidden at the offer; then the other way round.

use assay_sdk::*;

/// What is shown, how far behind the touch in cents, and what is meant.
const SHOWN: Quantity = Quantity::of(600);
const BEHIND: i64 = 3;
const MEANT: Quantity = Quantity::of(30);
/// The touch may come so near to what is shown, in cents.
const RETREAT: i64 = 1;

struct Spoof {
    clock: Timer,
    shown: Option<(OrderId, Price)>,
    meant: Option<OrderId>,
    /// The side that is shown.
    side: Side,
    age: u64,
}

impl Strategy for Spoof {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        let clock = Timer::start(config.market_open, Duration::from_secs(1), exchange);
        Spoof { clock, shown: None, meant: None, side: Side::Buy, age: 0 }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        self.age += 1;
        if self.age > 10 || (self.shown.is_some() && self.meant.is_none()) {
            exchange.cancel_all();
            (self.shown, self.meant, self.age) = (None, None, 0);
            // Sells what it bought, and the other way round.
            self.side = if exchange.position() > 0 { Side::Buy } else { Side::Sell };
            return;
        }
        let quote = exchange.quote();
        if let (None, Some(near), Some(far)) = (self.shown, quote.level(self.side), quote.level(self.side.opposite())) {
            let price = near.price - self.side.sign() * BEHIND;
            self.shown = Some((exchange.limit(Limit::new(self.side, price, SHOWN).post_only()), price));
            let order = Limit::new(self.side.opposite(), far.price, MEANT).hidden().post_only();
            self.meant = Some(exchange.limit(order));
        }
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        // It must not trade: away before the touch arrives.
        if let (Some((order, price)), Some(near)) = (self.shown, quote.level(self.side))
            && (near.price - price) * self.side.sign() <= RETREAT
        {
            exchange.cancel(order);
            self.shown = None;
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if update.ends_order() {
            if self.shown.is_some_and(|(order, _)| order == update.order) {
                self.shown = None;
            }
            if self.meant == Some(update.order) {
                self.meant = None;
            }
        }
    }
}

export!(Spoof);
