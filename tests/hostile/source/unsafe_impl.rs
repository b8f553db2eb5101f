//@ expect: S001
// Lies to the compiler about threads.
use assay_sdk::*;

struct Attack;

struct Shared(*mut u8);
unsafe impl Send for Shared {}
unsafe impl Sync for Shared {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
