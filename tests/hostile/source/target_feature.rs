//@ expect: S005
// Asks for SIMD.
use assay_sdk::*;

struct Attack;

#[target_feature(enable = "simd128")]
fn fast() {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
