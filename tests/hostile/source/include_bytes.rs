//@ expect: S009
// Copies the keys of the host.
use assay_sdk::*;

struct Attack;

static KEYS: &[u8] = include_bytes!("id_ed25519");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
