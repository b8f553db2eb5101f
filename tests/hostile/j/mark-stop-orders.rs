//! Marks the close through stops that wait at the exchange: one small trade sets off a chain of them, with no latency in between.

use assay_sdk::*;

/// Links of the chain, how far apart they lie in cents, and what each buys.
const LINKS: i64 = 50;
const APART: i64 = 5;
const SHARES: Quantity = Quantity::of(80);
/// How far above its stop a link may buy, in cents.
const REACH: i64 = 400;
/// When the chain is laid and when it is lit, before the end that it has been told.
const LAID: Duration = Duration::from_secs(3);
const LIT: Duration = Duration::from_millis(5);

struct Mark {
    close: Time,
    laid: bool,
    lit: bool,
}

impl Strategy for Mark {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        exchange.wake_at(config.market_close - LAID);
        exchange.wake_at(config.market_close - LIT);
        Mark { close: config.market_close, laid: false, lit: false }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        let now = exchange.now();
        let Some(ask) = exchange.quote().ask else { return };
        if !self.laid && now >= self.close - LAID {
            self.laid = true;
            for link in 1..=LINKS {
                let at = ask.price + link * APART;
                exchange.order(Order::limit(Side::Buy, at + REACH, SHARES).stop(at));
            }
        }
        if !self.lit && now >= self.close - LIT {
            self.lit = true;
            exchange.limit(Limit::buy(ask.price + 4 * APART, Quantity::of(300)));
        }
    }
}

export!(Mark);
