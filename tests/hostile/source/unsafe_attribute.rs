//@ expect: S001 S003
// The attribute form of edition 2024.
use assay_sdk::*;

struct Attack;

#[unsafe(no_mangle)]
pub fn initialize() {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
