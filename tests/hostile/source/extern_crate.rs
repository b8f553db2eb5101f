//@ expect: S002 S017
// Names another crate, under another name.
use assay_sdk::*;

struct Attack;

extern crate std as quiet;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
