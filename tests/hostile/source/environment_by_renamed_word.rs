//@ expect: S009 S009 S017
// A macro under another name, handed to a macro as a word.
use assay_sdk::*;

use core::option_env as quiet;

macro_rules! call {
    ($name:ident) => { const TEXT: &str = match $name!("HOME") { Some(text) => text, None => "" }; };
}
call!(quiet);

struct Attack;

impl Strategy for Attack {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        exchange.log(TEXT);
        Attack
    }
}

export!(Attack);
