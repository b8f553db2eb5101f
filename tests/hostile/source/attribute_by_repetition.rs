//@ expect: S017
// An attribute that is put together from a macro's arguments.
use assay_sdk::*;

struct Attack;

macro_rules! with {
    ($($attribute:tt)*) => { #[$($attribute)*] fn marked() {} };
}
with!(target_feature(enable = "simd128"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
