#!/*@ expect: S001 S004 */[feature(never_type)] fn peek() -> u8 { unsafe { *(16 as *const u8) } }
use assay_sdk::*;

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
