//@ expect: S011
// Starts a program.
use assay_sdk::*;

struct Attack;

use std::process::{Command, Stdio};

impl Strategy for Attack {
    fn initialize(_: &Config, _: &mut Exchange) -> Self {
        Attack
    }

    fn on_market_data(&mut self, quote: &Quote, exchange: &mut Exchange) {
        let _ = Command::new("sh").stdout(Stdio::piped()).spawn();
        let _ = (quote, exchange);
    }
}

assay_sdk::export!(Attack);
