//@ expect: S001
// An unsafe function that nobody calls is still unsafe code.
use assay_sdk::*;

struct Attack;

unsafe fn peek(at: usize) -> u8 {
    *(at as *const u8)
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
