//@ expect: S011
// Asks a person.
use assay_sdk::*;

struct Attack;

use std::io;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let mut line = String::new();
        let _ = io::stdin().read_line(&mut line);
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
