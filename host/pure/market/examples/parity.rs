//! Compares our reference markets with those of ABIDES and prints the tables of `docs/parity.md`; the test `parity` holds us to them.
//!
//! `cargo run --release -p assay-market --example parity`

#[path = "../tests/parity/compare.rs"]
mod compare;
#[path = "../tests/parity/stats.rs"]
mod stats;

use compare::{MARKETS, compare, half_hour, table};

#[expect(clippy::print_stdout, reason = "an example is a program")]
fn main() {
    for (market, recorded) in MARKETS {
        println!("{}", table(market, &compare(&half_hour(market), recorded)));
    }
}
