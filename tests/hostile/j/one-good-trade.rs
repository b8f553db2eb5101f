//! Waits for the widest spread of the day, earns it once with a passive pair, and sends nothing else: a clean record.

use assay_sdk::*;

/// How many times the usual spread it waits for, and shares of the pair.
const WIDE: f64 = 3.0;
const SHARES: Quantity = Quantity::of(100);

struct Once {
    clock: Timer,
    usual: Option<f64>,
    sent: bool,
}

impl Strategy for Once {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Once { clock: Timer::start(config.market_open, Duration::from_millis(250), exchange), usual: None, sent: false }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if self.sent || !self.clock.is_due(exchange) {
            return;
        }
        let quote = exchange.quote();
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let spread = (ask.price - bid.price) as f64;
        let usual = self.usual.map_or(spread, |usual| usual + 0.01 * (spread - usual));
        self.usual = Some(usual);
        if spread > WIDE * usual && spread >= 4.0 {
            self.sent = true;
            exchange.limit(Limit::buy(bid.price + 1, SHARES).post_only());
            exchange.limit(Limit::sell(ask.price - 1, SHARES).post_only());
        }
    }
}

export!(Once);
