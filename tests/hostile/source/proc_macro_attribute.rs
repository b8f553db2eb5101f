//@ expect: S002 S007
// Is a compiler plug-in.
use assay_sdk::*;

struct Attack;

extern crate proc_macro;

#[proc_macro]
pub fn make(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
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
