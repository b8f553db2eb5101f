//@ expect: S001
// The keyword is handed to a macro, which puts it in place.
use assay_sdk::*;

struct Attack;

macro_rules! with {
    ($($word:tt)*) => { $($word)* };
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = with!(unsafe { *(16 as *const u8) });
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
