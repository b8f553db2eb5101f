//@ expect: S016
// State that only unsafe code can use.
use assay_sdk::*;

struct Attack;

static mut POSITION: i64 = 0;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
