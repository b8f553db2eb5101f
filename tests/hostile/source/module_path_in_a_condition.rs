//@ expect: S008
// The path of a module's file, behind a condition.
use assay_sdk::*;

struct Attack;

#[cfg_attr(all(), path = "/dev/zero")]
mod elsewhere;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
