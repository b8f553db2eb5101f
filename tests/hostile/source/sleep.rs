//@ expect: S013
// Waits in real time.
use assay_sdk::*;

struct Attack;

use std::thread::sleep;
use std::time::Duration;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        sleep(Duration::from_secs(3600));
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
