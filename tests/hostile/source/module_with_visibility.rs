//@ expect: S008
// A module in another file, taken as an item with its visibility before it.
use assay_sdk::*;

const TEXT: &str = "";

macro_rules! place {
    ($before:vis $item:item) => { $before $item };
}
place!(pub mod evil;);

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        exchange.log(TEXT);
        Attack
    }
}

export!(Attack);
