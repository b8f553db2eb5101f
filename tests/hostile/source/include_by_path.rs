//@ expect: S009
// The full path of the macro.
use assay_sdk::*;

struct Attack;

const TEXT: &str = ::core::include_str!("/etc/passwd");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
