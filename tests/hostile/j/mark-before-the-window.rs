//! Marks the seconds before the closing window, so that whatever averages over them begins high: buys, and holds the price up with bids.

use assay_sdk::*;

/// How long before the end that it has been told it begins.
const BEFORE: Duration = Duration::from_secs(20);
/// Shares bought at a time, and in the bid that holds the price up.
const SLICE: Quantity = Quantity::of(60);
const WALL: Quantity = Quantity::of(120);

struct Mark {
    start: Time,
    clock: Timer,
    wall: Option<OrderId>,
}

impl Strategy for Mark {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let start = config.market_close - BEFORE;
        Mark { start, clock: Timer::start(start, Duration::from_millis(500), exchange), wall: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if exchange.now() < self.start || !self.clock.is_due(exchange) {
            return;
        }
        let Some(ask) = exchange.quote().ask else { return };
        exchange.limit(Limit::buy(ask.price + 10, SLICE));
        match self.wall {
            Some(wall) => _ = exchange.modify(wall, ask.price - 1, WALL),
            None => self.wall = Some(exchange.limit(Limit::buy(ask.price - 1, WALL).post_only())),
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if update.ends_order() && self.wall == Some(update.order) {
            self.wall = None;
        }
    }
}

export!(Mark);
