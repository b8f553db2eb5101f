//@ expect: S008
// The name of the module comes from a macro.
use assay_sdk::*;

struct Attack;

macro_rules! open {
    ($name:ident) => {
        mod $name;
    };
}
open!(secrets);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
