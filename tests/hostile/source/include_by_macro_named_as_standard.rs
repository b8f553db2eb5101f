//@ expect: S017
// The other name is one of the standard library.
use assay_sdk::*;

struct Attack;

macro_rules! forward {
    ($name:ident # $($rest:tt)*) => {
        $name $($rest)*
    };
}
use forward as vec;

const HOME: &str = vec!(env # !("HOME"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
