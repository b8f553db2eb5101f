//@ expect: S025 S027
// Two names that look the same.
use assay_sdk::*;

struct Attack;

fn check() {}
fn che​ck() {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
