//@ expect: S017
// A macro that is called where a type stands.
use assay_sdk::*;

struct Attack;

macro_rules! length {
    ($word:ident) => { [u8; $word!("/usr/lib/os-release").len()] };
}
static ROOM: length!(include_bytes) = [0; 400];

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
