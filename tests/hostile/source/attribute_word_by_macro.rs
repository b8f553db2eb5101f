//@ expect: S017
// The attribute's word alone is the argument.
use assay_sdk::*;

struct Attack;

macro_rules! with {
    ($word:ident) => { #[$word] static MARKED: u32 = 1; };
}
with!(no_mangle);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
