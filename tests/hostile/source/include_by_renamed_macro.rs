//@ expect: S017
// The macro that puts the pieces together is called by another name.
use assay_sdk::*;

struct Attack;

macro_rules! forward {
    ($name:ident # $($rest:tt)*) => {
        $name $($rest)*
    };
}
use forward as harmless;

const TEXT: &str = harmless!(include_str # !("/usr/lib/os-release"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
