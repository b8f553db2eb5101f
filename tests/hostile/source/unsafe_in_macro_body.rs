//@ expect: S001
// The keyword hides in a macro body.
use assay_sdk::*;

struct Attack;

macro_rules! peek {
    ($at:expr) => {
        unsafe { *($at as *const u8) }
    };
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (peek!(16), quote, exchange);
    }
}

assay_sdk::export!(Attack);
