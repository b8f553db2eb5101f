//@ expect: S002
// A foreign block whose word is a token.
use assay_sdk::*;

struct Attack;

macro_rules! foreign {
    ($word:tt $body:tt) => { $word "C" $body };
}
foreign!(extern { fn host(); });

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
