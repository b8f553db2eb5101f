//@ expect: S018
// Crates that are not there.
use assay_sdk::*;

struct Attack;

use rand::Rng;
use chrono::Utc;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (rand::thread_rng().gen::<u64>(), Utc::now(), quote, exchange);
    }
}

assay_sdk::export!(Attack);
