//@ expect: S006 S018
// A derive that is a program of the compiler.
use assay_sdk::*;

struct Attack;

#[derive(Debug, serde::Serialize)]
struct Record {
    price: i64,
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
