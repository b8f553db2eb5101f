//@ expect: S011
// Only in a type.
use assay_sdk::*;

struct Attack;

type Handle = <std::fs::File as std::io::Read>::Target;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
