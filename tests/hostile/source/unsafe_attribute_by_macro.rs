//@ expect: S001 S002 S017
// The attribute's unsafe form, from a macro's arguments.
use assay_sdk::*;

struct Attack;

macro_rules! with {
    ($($inner:tt)*) => { #[unsafe($($inner)*)] pub extern "C" fn marked() {} };
}
with!(no_mangle);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
