//@ expect: S009
// The built-in macros have a second path, and a third name.
use assay_sdk::*;

struct Attack;

use std::prelude::v1::include_str as harmless;

const TEXT: &str = harmless!("/usr/lib/os-release");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
