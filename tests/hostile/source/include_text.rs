//@ expect: S009
// Copies a file of the host into the log.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        exchange.log(include_str!("/etc/passwd"));
        let _ = quote;
    }
}

assay_sdk::export!(Attack);
