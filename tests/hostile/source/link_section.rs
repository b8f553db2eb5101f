//@ expect: S003
// Writes a custom section into the artifact.
use assay_sdk::*;

struct Attack;

#[used]
#[link_section = "producers"]
static FORGED: [u8; 4] = *b"fake";

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
