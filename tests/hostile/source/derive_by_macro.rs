//@ expect: S018
// A derive whose name is a macro's argument.
use assay_sdk::*;

struct Attack;

macro_rules! derived {
    ($name:path) => { #[derive($name)] struct Marked; };
}
derived!(serde::Serialize);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
