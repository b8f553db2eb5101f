//@ expect: S009
// As the value of an attribute that takes any expression.
use assay_sdk::*;

struct Attack;

#[deprecated(note = include_str!("/usr/lib/os-release"))]
fn marked() {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
