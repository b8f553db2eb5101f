//@ expect: S003
// Stands in for an entry point.
use assay_sdk::*;

struct Attack;

#[export_name = "on-tick"]
pub fn on_tick(_: u64) {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
