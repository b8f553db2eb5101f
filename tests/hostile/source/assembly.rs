//@ expect: S010
// Assembly, which is unsafe by nature but hidden in a macro call.
use assay_sdk::*;

struct Attack;

core::arch::global_asm!(".globl evil");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
