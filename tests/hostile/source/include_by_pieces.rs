//@ expect: S017
// Name and arguments reach the macro separately.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ($name:ident, $argument:literal) => {
        $name!($argument)
    };
}
const TEXT: &str = call!(include_str, "/etc/passwd");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
