//@ expect: S002 S003
// Offers an entry point of its own.
use assay_sdk::*;

struct Attack;

#[no_mangle]
pub extern "C" fn run() {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
