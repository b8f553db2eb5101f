//! Reckless: deliberately bad. It works, and it loses money in every way a strategy can without breaking a rule.
//!
//! It buys and sells at the market by the toss of a coin. Each round trip pays the whole spread and more where the book is thin,
//! the position wanders without a limit, and nothing is ever learnt from the price. Compare its report with the market maker's:
//! the spread paid, the inventory, the drawdown.

use assay_sdk::*;

/// Shares in each order, whatever the book holds.
const SHARES: Quantity = Quantity::of(20);

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
