//@ expect: S017
// The definition is handed through a macro that changes its name.
use assay_sdk::*;

struct Attack;

macro_rules! define {
    ($define:ident $bang:tt $old:ident $new:ident $body:tt) => {
        $define $bang $new $body
    };
}
define!(macro_rules ! decoy vec { ($word:ident # $rest:tt $argument:tt) => { $word $rest $argument }; });

const HOME: &str = vec!(env # !("HOME"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
