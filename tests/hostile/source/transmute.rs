//@ expect: S001
// Turns an integer into a function.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let jump: fn() = unsafe { std::mem::transmute(4096_usize) };
        jump();
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
