//@ expect: S022
// Prints to nowhere; a warning.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        println!("{quote:?}");
        eprintln!("still here");
        let _ = exchange;
    }
}

assay_sdk::export!(Attack);
