//@ expect: S011
// The module under two names, one after the other.
use assay_sdk::*;

struct Attack;

use self::inner::voice as v;

mod inner {
    pub use std::io as voice;
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (v::stdin(), quote, exchange);
    }
}

assay_sdk::export!(Attack);
