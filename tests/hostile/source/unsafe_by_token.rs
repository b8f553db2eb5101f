//@ expect: S001
// The word is a token that a macro puts before a block.
use assay_sdk::*;

struct Attack;

macro_rules! block {
    ($word:tt $body:block) => { $word $body };
}
fn read(at: usize) -> u8 { block!(unsafe { *(at as *const u8) }) }

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
