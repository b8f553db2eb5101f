//@ expect: S011
// With leading colons and a raw identifier.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (::std::r#fs::read("/etc/passwd"), quote, exchange);
    }
}

assay_sdk::export!(Attack);
