//! Builds a position patiently, and in the last minutes lifts the touch a cent at a time with bids of one share, which others take for the market.

use assay_sdk::*;

/// The position that is to be marked, in shares, and how it is built.
const WANTED: i64 = 400;
const SLICE: Quantity = Quantity::of(10);
/// How long the touch is lifted, before the end that it has been told and beyond it.
const LAST: Duration = Duration::from_secs(240);

struct Mark {
    close: Time,
    clock: Timer,
    step: Option<OrderId>,
}

impl Strategy for Mark {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, Duration::from_millis(500), exchange);
        Mark { close: config.market_close, clock, step: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        if self.close - exchange.now() > LAST {
            if exchange.position() < WANTED && exchange.open_orders().is_empty() {
                exchange.limit(Limit::buy(bid.price, SLICE).post_only());
            }
            return;
        }
        let (price, one) = (ask.price - 1, Quantity::of(1));
        if price > bid.price {
            match self.step {
                Some(step) => _ = exchange.modify(step, price, one),
                None => self.step = Some(exchange.limit(Limit::buy(price, one).post_only())),
            }
        } else if bid.quantity <= 1 && exchange.position() < 2 * WANTED {
            // Its own share is the bid. Now the offer must go.
            exchange.limit(Limit::buy(ask.price, SLICE));
        }
    }

    fn on_order_update(&mut self, update: &OrderUpdate, _: &mut Exchange) {
        if update.ends_order() && self.step == Some(update.order) {
            self.step = None;
        }
    }
}

export!(Mark);
