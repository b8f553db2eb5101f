//@ expect: S025
// Trojan source: the comment ends earlier than it looks.
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        /*‮ } ⁦if is_admin⁩ ⁦ begin admins only */
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
