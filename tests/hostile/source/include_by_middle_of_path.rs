//@ expect: S017
// The word stands in the middle of a path.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ($a:ident :: $b:ident :: $c:ident $bang:tt $arguments:tt) => { $b $bang $arguments };
}
const TEXT: &str = call!(left::include_str::right ! ("/usr/lib/os-release"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
