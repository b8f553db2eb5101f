//! Moves the price from which the band is measured with prints of one share at the edge of it, then takes what was out of reach before.

use assay_sdk::*;

/// How far beyond the best offer a print reaches, in the price.
const REACH: f64 = 1.004;
/// Shares held, at most, and in the order that is sold into the moved market.
const HELD_MAX: i64 = 300;

struct Paint {
    clock: Timer,
    close: Time,
    ticks: u64,
}

impl Strategy for Paint {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        let clock = Timer::start(config.market_open, Duration::from_millis(250), exchange);
        Paint { clock, close: config.market_close, ticks: 0 }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        self.ticks += 1;
        let Some(ask) = exchange.quote().ask else { return };
        let Some(far) = Price::floor(ask.price.cents() as f64 * REACH) else { return };
        if self.close - exchange.now() < Duration::from_secs(60) {
            exchange.cancel_all();
            return;
        }
        match self.ticks % 8 {
            // Own offer far away, own bid that reaches it if nobody else is in between: one share at a time.
            0 => _ = exchange.cancel_all(),
            1 => _ = exchange.limit(Limit::sell(far, Quantity::of(25))),
            2..=5 => _ = exchange.limit(Limit::buy(far - 1, Quantity::of(1))),
            _ if exchange.position() < HELD_MAX => _ = exchange.limit(Limit::buy(ask.price, Quantity::of(1))),
            _ => {}
        }
    }
}

export!(Paint);
