//@ expect: S008
// Its text is elsewhere.
use assay_sdk::*;

struct Attack;

mod secrets;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
