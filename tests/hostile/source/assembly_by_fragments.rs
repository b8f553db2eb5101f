//@ expect: S017
// Inline assembly, by the first part of a path.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ($first:ident :: $rest:ident $arguments:tt) => { $first ! $arguments };
}
fn stop() { call!(asm::unused ("unreachable")); }

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
