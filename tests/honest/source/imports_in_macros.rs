//! Imports and definitions that come out of macros, and blocks after a `!` that is none of a macro.

use assay_sdk::*;
use std::collections::BTreeMap as Map;

macro_rules! largest {
    ($name:ident, $kind:ty) => {
        fn $name(values: &[$kind]) -> Option<$kind> {
            use std::cmp::max;
            values.iter().copied().reduce(max)
        }
    };
}
largest!(largest_price, i64);

macro_rules! define {
    ($name:ident => $value:expr) => {
        macro_rules! $name {
            () => {
                $value
            };
        }
    };
}
define!(lot => 10);

struct Honest(Map<i64, u64>);

impl Strategy for Honest {
    fn initialize(_: &Config, exchange: &mut Exchange) -> Self {
        let known = vec![1, std::cmp::max(2, 3)];
        if !known.is_empty() {
            use std::fmt::Write as _;
            let mut line = String::new();
            let _ = write!(line, "{:?} after {:?}", largest_price(&known), std::time::Duration::from_secs(1));
            exchange.log(&line);
        }
        Honest(Map::from([(known[0], lot!())]))
    }
}

assay_sdk::export!(Honest);
