//@ expect: S009
// The prelude under another name hides the root of the path.
use assay_sdk::*;

struct Attack;

use std::prelude::v1 as usual;
use usual::env as harmless;

const HOME: &str = harmless!("HOME");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
