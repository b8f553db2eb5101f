//@ expect: S017
// A repetition within a repetition puts the word before its bang.
use assay_sdk::*;

struct Attack;

macro_rules! call {
    ($( [$($word:tt)*] )*) => { $($($word)*)* };
}
const TEXT: &str = call!([include_bytes] [!] [("/usr/lib/os-release")]).as_ascii_text();

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }
}

assay_sdk::export!(Attack);
