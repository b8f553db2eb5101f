//! Prints how lifelike the markets of presets are over a range of seeds, as `assay scenarios validate` does, without building the rest of Assay.
//!
//! `cargo run --release -p assay-market --example realism -- 10001 10100 calm-day rmsc04-day`; a path instead of a name reads a scenario file.

use assay_market::Scenario;
use assay_market::realism::{Observation, observe, report, scorecard};
use assay_model::Seed;

#[expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example is a program")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number =
        || arguments.next().and_then(|text| text.parse::<u64>().ok()).expect("the first and the last seed come first");
    let seeds: Vec<u64> = (number()..=number()).collect();
    for name in arguments {
        let scenario = Scenario::preset(&name).unwrap_or_else(|| {
            let text = std::fs::read_to_string(&name).expect("the other arguments are presets or files");
            Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"))
        });
        let observations = observations(&scenario, &seeds);
        println!("{}", report(&scenario.name, observations.len(), &scorecard(&observations)));
    }
}

/// One observation a seed, in the order of the seeds; half of them on a thread of its own.
fn observations(scenario: &Scenario, seeds: &[u64]) -> Vec<Observation> {
    let all = |seeds: &[u64]| seeds.iter().map(|seed| observe(scenario, Seed(*seed))).collect::<Vec<_>>();
    let (early, late) = seeds.split_at(seeds.len() / 2);
    std::thread::scope(|scope| {
        let early = scope.spawn(|| all(early));
        let late = all(late);
        let mut both = early.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        both.extend(late);
        both
    })
}
