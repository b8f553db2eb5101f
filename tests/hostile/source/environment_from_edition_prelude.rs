//@ expect: S009
// The same through the prelude of an edition.
use assay_sdk::*;

struct Attack;

use core::prelude::rust_2021::{env as one, option_env as other};

const HOME: &str = one!("HOME");
const PATH: Option<&str> = other!("PATH");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
