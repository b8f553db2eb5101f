//@ expect: S009
// In the default of a constant parameter.
use assay_sdk::*;

struct Attack;

struct Sized<const N: usize = { env!("PATH").len() }>;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
