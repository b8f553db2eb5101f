//@ expect: S011
// The module under another name.
use assay_sdk::*;

struct Attack;

use std::{collections::BTreeMap, fs as map};

type Book = BTreeMap<i64, u64>;

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = (Book::new(), map::read("/etc/passwd"), quote, exchange);
    }
}

assay_sdk::export!(Attack);
