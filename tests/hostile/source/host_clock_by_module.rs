//@ expect: S012
// Through the module.
use assay_sdk::*;

struct Attack;

use std::time;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (time::SystemTime::now(), quote, exchange);
    }
}

assay_sdk::export!(Attack);
