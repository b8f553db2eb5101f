//@ expect: S014
// Silences its own failures.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        std::panic::set_hook(Box::new(|_| {}));
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
