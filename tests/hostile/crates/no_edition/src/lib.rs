use assay_sdk::*;

macro_rules! call {
    ($c:ident # $open:tt [ $($inside:tt)* ] $close:tt #) => { $($inside)* };
    ($text:tt) => {};
}

pub struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        // One text in the newest edition; in old ones, the brackets stand outside of texts.
        call!(cr#" " [ unsafe {} ] " "#);
        Attack
    }
}

assay_sdk::export!(Attack);
