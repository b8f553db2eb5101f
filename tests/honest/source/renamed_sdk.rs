//! The SDK's names under other names.

use assay_sdk::{Config, Exchange, Strategy as Trader, export as make};

struct Honest;

impl Trader for Honest {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Honest
    }
}

make!(Honest);
