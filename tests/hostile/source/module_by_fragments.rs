//@ expect: S008
// The word of a module, its name and its semicolon are each a fragment.
use assay_sdk::*;

struct Attack;

macro_rules! put {
    ($name:ident $semicolon:tt) => { mod $name $semicolon };
}
put!(elsewhere ;);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
