//@ expect: S009
// Compiles a file of the host.
use assay_sdk::*;

struct Attack;

include!("/etc/passwd");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
