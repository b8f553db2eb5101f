//@ expect: S009
// An attribute can read files too.
use assay_sdk::*;

struct Attack;

#[doc = include_str!("/etc/passwd")]
fn documented() {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
