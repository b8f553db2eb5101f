//@ expect: S017
// A variable of the compiler's environment, by a path's first part.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ($first:ident :: $rest:ident $bang:tt $arguments:tt) => { $first $bang $arguments };
}
const TEXT: &str = call!(env::unused ! ("LD_LIBRARY_PATH"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
