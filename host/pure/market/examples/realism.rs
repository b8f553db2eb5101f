//! Prints how lifelike the markets of presets are over seeds 1 to n, as `assay scenarios validate` does, without building the rest of Assay.
//!
//! `cargo run --release -p assay-market --example realism -- 20 lively rmsc04-day`; a path instead of a name reads a scenario file.

use assay_market::Scenario;
use assay_market::realism::{observe, report, scorecard};
use assay_model::Seed;

#[expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example is a program")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 =
        arguments.next().and_then(|seeds| seeds.parse().ok()).expect("the first argument is a number of seeds");
    for name in arguments {
        let scenario = Scenario::preset(&name).unwrap_or_else(|| {
            let text = std::fs::read_to_string(&name).expect("the other arguments are presets or files");
            Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"))
        });
        let observations: Vec<_> = (1..=seeds).map(|seed| observe(&scenario, Seed(seed))).collect();
        println!("{}", report(&scenario.name, observations.len(), &scorecard(&observations)));
    }
}
