//@ expect: S008
// Even the word `mod` is handed in.
use assay_sdk::*;

struct Attack;

macro_rules! put {
    ($($token:tt)*) => { $($token)* };
}
put!(mod elsewhere;);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
