//! Compares our reference markets with those of ABIDES and prints the tables of `docs/parity.md`; the test `parity` holds us to them.
//!
//! `cargo run --release -p assay-market --example parity`

#[path = "../tests/parity/compare.rs"]
mod compare;
#[path = "../tests/parity/stats.rs"]
mod stats;

use compare::{MARKETS, SEEDS, compare, scenario, table};

#[expect(clippy::print_stdout, reason = "an example is a program")]
fn main() {
    for market in MARKETS {
        println!("{}", table(market.title, &compare(&scenario(&market), SEEDS, market.recorded)));
    }
}
