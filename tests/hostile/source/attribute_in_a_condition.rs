//@ expect: S003
// Two conditions, one in the other, before the attribute.
use assay_sdk::*;

struct Attack;

#[cfg_attr(all(), cfg_attr(not(any()), export_name = "initialize"))]
fn marked() {}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
