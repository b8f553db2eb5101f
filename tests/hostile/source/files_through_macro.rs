//@ expect: S017
// The path is put together from pieces.
use assay_sdk::*;

struct Attack;

macro_rules! reach {
    ($module:ident, $function:ident) => {
        std::$module::$function
    };
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (reach!(fs, read)("/etc/passwd"), quote, exchange);
    }
}

assay_sdk::export!(Attack);
