//@ expect: S011
// Reads tokens from the environment.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        for (name, value) in std::env::vars() {
            exchange.log(&format!("{name}={value}"));
        }
        let _ = quote;
    }
}

assay_sdk::export!(Attack);
