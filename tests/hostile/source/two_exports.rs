//@ expect: S021
// Two strategies in one file.
use assay_sdk::*;

struct Attack;

assay_sdk::export!(Attack);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
