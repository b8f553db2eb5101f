//! Words of forbidden macros next to a `!` that is an operator.

use assay_sdk::*;

fn decide(env: bool, include: i64, print: bool) -> bool {
    env != (include > 3) && print && !(include == 2) || include!= (4)
}

struct Honest;

impl Strategy for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        let _ = decide(true, 2, !(1 > 2));
        Honest
    }
}

assay_sdk::export!(Honest);
