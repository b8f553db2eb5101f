//@ expect: S017
// A macro that is called where a pattern stands.
use assay_sdk::*;

struct Attack;

macro_rules! same {
    ($word:ident, $with:expr) => { matches!($with, $word!("/usr/lib/os-release")) };
}
fn is_debian(text: &str) -> bool { same!(include_str, text) }

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
