//@ expect: S001
// An unsafe trait.
use assay_sdk::*;

struct Attack;

unsafe trait Raw {
    fn raw(&self) -> *const u8;
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
