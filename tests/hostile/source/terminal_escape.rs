//@ expect: S025
// Clears the terminal of whoever reads the finding.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = ("[2J[1;31mall checks passed[0m", quote, exchange);
    }
}

assay_sdk::export!(Attack);
