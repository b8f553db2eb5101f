//@ expect: S001
// In a constant, evaluated by the compiler.
use assay_sdk::*;

struct Attack;

const LEAK: u8 = unsafe { *(&7_u32 as *const u32 as *const u8) };

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
