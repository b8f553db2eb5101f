//! Takes all that the best price shows, with one order, and gives it back a moment later: the cheapest shares of a sweep, for the whole move that they cause.

use assay_sdk::*;

/// Most shares of a round trip, how long they are held, and the pause until the next one.
const SHARES_MAX: u64 = 450;
const HELD: Duration = Duration::from_millis(13);
const AGAIN: Duration = Duration::from_millis(20);
const PAUSE: Duration = Duration::from_secs(60);

struct Touch {
    next: Time,
    end: Time,
    side: Side,
}

impl Strategy for Touch {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let next = config.market_open + PAUSE;
        exchange.wake_at(next);
        Touch { next, end: config.market_close - PAUSE, side: Side::Buy }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let now = exchange.now();
        if now < self.next {
            return;
        }
        let quote = exchange.quote();
        let position = exchange.position();
        let (side, most, wait) = match Side::toward(-position) {
            Some(back) => (back, position.unsigned_abs(), AGAIN),
            None if now >= self.end => return,
            None => (self.side, SHARES_MAX, HELD),
        };
        let near = if side == Side::Buy { quote.ask } else { quote.bid };
        if let Some((near, shares)) = near.and_then(|near| Some((near, Quantity::up_to(near.quantity.min(most))?))) {
            exchange.order(Order::limit(side, near.price, shares).time_in_force(TimeInForce::ImmediateOrCancel));
        }
        let done = position != 0 && near.is_some_and(|near| near.quantity >= most);
        self.next = now + if done { PAUSE } else { wait };
        if done {
            self.side = self.side.opposite();
        }
        exchange.wake_at(self.next);
    }
}

export!(Touch);
