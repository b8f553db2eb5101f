//@ expect: S017
// The standard library under another name.
use assay_sdk::*;

struct Attack;

use std as s;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (s::fs::read("/etc/passwd"), quote, exchange);
    }
}

assay_sdk::export!(Attack);
