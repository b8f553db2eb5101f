//@ expect: S009
// A raw identifier is the same macro.
use assay_sdk::*;

struct Attack;

const TEXT: &str = r#include_str!("/etc/passwd");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
