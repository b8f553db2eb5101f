//@ expect: S015
// Types of foreign functions.
use assay_sdk::*;

struct Attack;

use std::ffi::{CStr, c_void};

type Callback = fn(*const c_void) -> &'static CStr;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
    }
}

assay_sdk::export!(Attack);
