//@ expect: S004
// Asks for the internals of the compiler.
#![feature(core_intrinsics)]

use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
