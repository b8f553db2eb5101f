//! Knows that some preset halts at 11:00 sharp, sells ahead of it, buys in its auction, and stays in orders that others cannot answer meanwhile.

use assay_sdk::*;

/// Shares sold before, and how far below the last price it bids in the auction, in the price.
const SHARES: i64 = 300;
const BELOW: f64 = 0.985;

struct Know {
    clock: Timer,
    halt: Time,
    last_mid: Option<f64>,
}

impl Strategy for Know {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        // 11:00 of a day that opened for it at 09:31; of a half-hour session, the same share of it.
        let session = (config.market_close - config.market_open).as_secs();
        let halt = config.market_open + Duration::from_secs(session * 89 / 389);
        Know { clock: Timer::start(config.market_open, Duration::from_secs(1), exchange), halt, last_mid: None }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if !self.clock.is_due(exchange) {
            return;
        }
        let now = exchange.now();
        if now < self.halt {
            self.last_mid = exchange.quote().mid().or(self.last_mid);
            if self.halt - now < Duration::from_secs(40) && exchange.position() > -SHARES {
                exchange.market(Side::Sell, Quantity::of(20));
            }
            return;
        }
        exchange.cancel_all();
        let short = (-exchange.position()).max(0) as u64;
        let after = now - self.halt;
        let Some(shares) = Quantity::up_to(short) else { return };
        if after < Duration::from_secs(700) {
            if let Some(bid) = self.last_mid.and_then(|mid| Price::floor(mid * BELOW)) {
                exchange.limit(Limit::buy(bid, shares));
            }
        } else {
            exchange.market(Side::Buy, shares.min(Quantity::of(20)));
        }
    }
}

export!(Know);
