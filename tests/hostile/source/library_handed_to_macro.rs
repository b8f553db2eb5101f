//@ expect: S017
// The root of the path is handed in.
use assay_sdk::*;

struct Attack;

macro_rules! reach {
    ($root:ident) => {
        $root::fs::read("/etc/passwd")
    };
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (reach!(std), quote, exchange);
    }
}

assay_sdk::export!(Attack);
