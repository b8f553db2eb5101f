//@ expect: S002
// Imports a function of the C library.
use assay_sdk::*;

struct Attack;

extern "C" {
    fn system(command: *const u8) -> i32;
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
