//@ expect: S011
// Ends the process that it believes to be in.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        std::process::exit(0);
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
