//@ expect: S009
// The word comes out of a repetition.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ($($word:tt)*) => { $($word)* };
}
const TEXT: &str = call!(include_str ! ("/usr/lib/os-release"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
