//@ expect: S017
// A macro defines the macro, under a name that only its caller knows.
use assay_sdk::*;

struct Attack;

macro_rules! define {
    ($name:ident) => {
        macro_rules! $name {
            ($word:ident # $($rest:tt)*) => {
                $word $($rest)*
            };
        }
    };
}
define!(harmless);

const TEXT: &str = harmless!(include_str # !("/usr/lib/os-release"));

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
