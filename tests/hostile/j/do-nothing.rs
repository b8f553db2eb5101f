//! Never trades: no loss, no drawdown, no wider spread, and every measure that might be bad has no value.

use assay_sdk::*;

struct Nothing;

impl Strategy for Nothing {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        exchange.mute_market_data();
        Nothing
    }
}

export!(Nothing);
