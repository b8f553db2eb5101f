//@ expect: S009
// Reads the environment of the compiler.
use assay_sdk::*;

struct Attack;

const HOME: &str = env!("HOME");
const TOKEN: Option<&str> = option_env!("CARGO_REGISTRY_TOKEN");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
