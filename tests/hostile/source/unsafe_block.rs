//@ expect: S001
// Reads through a null pointer.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let price = unsafe { *(0x10 as *const i64) };
        let _ = (price, quote, exchange);
    }
}

assay_sdk::export!(Attack);
