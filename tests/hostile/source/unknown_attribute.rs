//@ expect: S005
// An attribute of nobody.
use assay_sdk::*;

struct Attack;

#[company::secret]
fn hidden() {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
