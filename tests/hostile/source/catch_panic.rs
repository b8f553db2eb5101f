//@ expect: S022
// Believes that a panic can be caught; a warning.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = std::panic::catch_unwind(|| panic!("try again"));
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
