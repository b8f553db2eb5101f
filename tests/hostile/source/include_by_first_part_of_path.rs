//@ expect: S017
// A macro drops all but the first part of a path: the word that counts is not the last.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ($first:ident :: $rest:ident $bang:tt $arguments:tt) => { $first $bang $arguments };
}
const TEXT: &str = call!(include_str::unused ! ("/usr/lib/os-release"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
