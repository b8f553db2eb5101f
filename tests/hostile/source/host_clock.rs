//@ expect: S012
// Looks at the clock of the host.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (std::time::Instant::now(), std::time::SystemTime::now(), quote, exchange);
    }
}

assay_sdk::export!(Attack);
