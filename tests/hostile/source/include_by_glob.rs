//@ expect: S017
// The word is followed by a glob, which a macro drops.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ($a:ident :: * $bang:tt $arguments:tt) => { $a $bang $arguments };
}
const TEXT: &str = call!(include_str::* ! ("/usr/lib/os-release"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
