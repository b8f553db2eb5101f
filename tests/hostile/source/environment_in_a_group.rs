//@ expect: S017
// The word is alone in brackets that a macro opens.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ([$word:ident] $arguments:tt) => { $word ! $arguments };
}
const TEXT: Option<&str> = call!([option_env] ("LD_LIBRARY_PATH"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
