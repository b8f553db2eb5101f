//@ expect: S008
// A macro writes the path of a module's file.
use assay_sdk::*;

struct Attack;

macro_rules! put {
    ($path:literal) => { #[path = $path] mod elsewhere; };
}
put!("/dev/zero");

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
