//@ expect: S009 S017
// The word is a whole path, taken as a fragment of that kind.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ($path:path) => { $path!("/usr/lib/os-release") };
}
const TEXT: &str = call!(core::include_str);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
