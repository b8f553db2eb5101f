//@ expect: S007
// Uses the interface of compiler plug-ins.
use assay_sdk::*;

struct Attack;

use proc_macro::TokenStream;

pub fn expand(input: TokenStream) -> TokenStream {
    input
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
