//! Prints how lifelike the market of a preset or of a scenario file is: the ten gates over seeds 1 to n.
//!
//! `cargo run --release -p assay-market --example realism -- rmsc04-day 20`

use assay_market::Scenario;
use assay_market::realism::{GATES, gates, observe, scorecard};
use assay_model::Seed;

#[expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example is a program")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "lively".to_owned());
    let seeds: u64 = arguments.next().and_then(|seeds| seeds.parse().ok()).unwrap_or(20);
    let scenario = Scenario::preset(&name).unwrap_or_else(|| {
        let text = std::fs::read_to_string(&name).expect("the first argument is a preset or a file");
        Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"))
    });
    let observations: Vec<_> = (1..=seeds).map(|seed| observe(&scenario, Seed(seed))).collect();
    let scores = scorecard(&observations);
    for score in &scores {
        let median = score.median.unwrap_or(f64::NAN);
        let verdict = if score.passes() { "pass" } else { "FAIL" };
        let (low, high) = score.band;
        let statistic = score.statistic;
        println!("{:2} {verdict} {median:8.3}  [{low:8.3}, {high:8.3}]  {}", statistic.gate, statistic.name);
    }
    let passed = gates(&scores);
    let failed: Vec<_> = GATES.iter().zip(passed).filter(|(_, passed)| !passed).map(|(name, _)| *name).collect();
    println!(
        "{} of {} gates; failed: {}",
        passed.iter().filter(|passed| **passed).count(),
        GATES.len(),
        failed.join(", ")
    );
}
