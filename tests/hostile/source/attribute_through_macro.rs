//@ expect: S017
// The attribute is put together by a macro.
use assay_sdk::*;

struct Attack;

macro_rules! mark {
    ($attribute:ident) => {
        #[$attribute]
        pub fn on_tick(_: u64) {}
    };
}
mark!(no_mangle);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
