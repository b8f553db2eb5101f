//@ expect: S003
// The attribute sits behind a condition that is always true.
use assay_sdk::*;

struct Attack;

#[cfg_attr(all(), cfg_attr(all(), no_mangle))]
pub fn on_tick(_: u64) {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
