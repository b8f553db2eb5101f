//@ expect: S009
// Another name for the same macro.
use assay_sdk::*;

struct Attack;

use std::include_str as harmless;

const TEXT: &str = harmless!("/etc/passwd");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
