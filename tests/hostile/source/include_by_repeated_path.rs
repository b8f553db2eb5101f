//@ expect: S009 S017
// The path to the macro is put together by repeating its parts.
use assay_sdk::*;

macro_rules! call {
    ($($part:ident)::+, $text:literal) => { const TEXT: &str = $($part)::+!($text); };
}
call!(core::include_str, "/usr/lib/os-release");

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        exchange.log(TEXT);
        Attack
    }
}

export!(Attack);
