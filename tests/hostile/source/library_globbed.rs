//@ expect: S017
// Everything at once, so that `fs` needs no root.
use assay_sdk::*;

struct Attack;

use std::*;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (fs::read("/etc/passwd"), quote, exchange);
    }
}

assay_sdk::export!(Attack);
