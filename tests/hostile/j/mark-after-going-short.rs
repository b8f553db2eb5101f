//! Goes short slowly all session, so that it can buy twice as much at the close, and then marks it with two orders.

use assay_sdk::*;

/// Shares sold at a time.
const SLICE: u64 = 20;
/// How far up the last mid shall be, in the price.
const LIFT: f64 = 1.04;
/// Between the arrival of the orders and the end that it has been told.
const MARGIN: Duration = Duration::from_micros(20);

struct Mark {
    clock: Timer,
    due: Time,
    done: bool,
}

/// Shares that it will hold at most, either way: the usual position limit. Whoever has not the means for that hears so, and holds less.
const MOST: i64 = 4_950;

impl Strategy for Mark {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let due = config.market_close - config.latency - MARGIN;
        exchange.wake_at(due);
        let clock = Timer::start(config.market_open, Duration::from_secs(15), exchange);
        Mark { clock, due, done: false }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let now = exchange.now();
        let Some(bid) = exchange.quote().bid else { return };
        if !self.done && now >= self.due {
            self.done = true;
            let Some(top) = Price::floor(bid.price.cents() as f64 * LIFT) else { return };
            exchange.limit(Limit::sell(top, Quantity::of(1)));
            let short = -exchange.position().min(0);
            for wanted in [MOST + short, 2 * short] {
                if let Some(shares) = Quantity::up_to(wanted as u64) {
                    exchange.limit(Limit::buy(top - 1, shares));
                }
            }
        } else if self.clock.is_due(exchange)
            && self.due - now > Duration::from_secs(5)
            && exchange.position() > -MOST
        {
            exchange.market(Side::Sell, Quantity::of(SLICE));
        }
    }
}

export!(Mark);
