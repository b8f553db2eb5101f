//! Reckless: deliberately bad. It works, and it loses money in every way a strategy can without breaking a rule.
//!
//! It buys and sells at the market by the toss of a coin. Each round trip pays the whole spread, large orders eat through the book
//! and pay more, the position wanders without a limit, and nothing is ever learnt from the price. Compare its report with the market
//! maker's: what this one pays, that one earns.

use assay_sdk::*;

/// Far more than rests at the touch, so that each order walks up the book.
const SHARES: Quantity = Quantity::of(200);

/// Time between orders.
const PERIOD: Duration = Duration::from_secs(1);

struct Reckless {
    clock: Timer,
}

impl Strategy for Reckless {
    fn initialize(config: &Config, exchange: &mut Exchange) -> Self {
        Reckless { clock: Timer::start(config.market_open, PERIOD, exchange) }
    }

    fn on_tick(&mut self, exchange: &mut Exchange) {
        if self.clock.is_due(exchange) {
            // Randomness comes from the run's seed: the same seed loses the same money.
            let side = if exchange.random_below(2) == 0 { Side::Buy } else { Side::Sell };
            exchange.market(side, SHARES);
        }
    }
}

export!(Reckless);
