//@ expect: S017
// A fragment that nothing is bound to stays a word.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ($dollar:tt $name:ident) => {
        $name!("/usr/lib/os-release")
    };
}
macro_rules! hide {
    () => {
        call!($include_str)
    };
}
const TEXT: &str = hide!();

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
