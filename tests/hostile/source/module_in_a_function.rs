//@ expect: S008
// A module of another file within a function.
use assay_sdk::*;

struct Attack;

fn hidden() {
    #[path = "/usr/lib/os-release"]
    mod elsewhere;
}

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
