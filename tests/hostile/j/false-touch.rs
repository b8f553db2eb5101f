//! Shows a touch of one share that is false, a cent from the other side, to those who price by the touch, and takes what they then offer or bid.

use assay_sdk::*;

/// Shares of the order that waits for them, hidden, and of the false touch.
const MEANT: Quantity = Quantity::of(40);
const FALSE: Quantity = Quantity::of(1);
/// Largest position either way.
const POSITION_MAX: i64 = 300;

struct Touch {
    clock: Timer,
}

impl Strategy for Touch {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Touch { clock: Timer::start(config.market_open, Duration::from_secs(2), exchange) }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        exchange.cancel_all();
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        if ask.price - bid.price < 2 {
            return;
        }
        let position = exchange.position();
        // Sellers who come at the bid or a little above find it waiting; the false offer makes "a little" small.
        if position <= 0 || position < POSITION_MAX && exchange.random_below(2) == 0 {
            exchange.limit(Limit::buy(bid.price, MEANT).hidden());
            exchange.limit(Limit::sell(bid.price + 1, FALSE));
        } else {
            exchange.limit(Limit::sell(ask.price, MEANT).hidden());
            exchange.limit(Limit::buy(ask.price - 1, FALSE));
        }
    }
}

export!(Touch);
