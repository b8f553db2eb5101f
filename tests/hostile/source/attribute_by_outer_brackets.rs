//@ expect: S003 S017
// The whole attribute is handed on, hash and all.
use assay_sdk::*;

struct Attack;

macro_rules! with {
    ($hash:tt $group:tt) => { $hash $group fn marked() {} };
}
with!(# [link_section = "data"]);

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
