//@ expect: S011
// Reads a file of the host.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        if let Ok(text) = std::fs::read_to_string("/etc/passwd") {
            exchange.log(&text);
        }
        let _ = quote;
    }
}

assay_sdk::export!(Attack);
