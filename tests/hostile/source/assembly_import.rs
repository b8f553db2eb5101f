//@ expect: S010 S001
// Imports the macro first.
use assay_sdk::*;

struct Attack;

use std::arch::asm;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        unsafe { asm!("unreachable") };
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
