//@ expect: S017
// A macro that defines a macro that calls what the first was given.
use assay_sdk::*;

struct Attack;

macro_rules! outer {
    ($word:ident) => { macro_rules! inner { ($arguments:tt) => { $word ! $arguments }; } };
}
outer!(include_str);
const TEXT: &str = inner!(("/usr/lib/os-release"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
