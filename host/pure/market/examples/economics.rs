//! Prints one line a scenario file: every statistic of realism over seeds, and what an episode costs. For fitting markets.
//!
//! `cargo run --release -p assay-market --example economics -- 1 20 market.toml other.toml key=value …`: seeds 1 to 20; `key=value` replaces that key's value
//! in every file.

use assay_market::realism::{GATES, Observation, Observer, gates, observe, scorecard};
use assay_market::{Inert, Scenario, simulate};
use assay_model::Seed;

#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "an example is a program"
)]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number =
        || arguments.next().and_then(|text| text.parse::<u64>().ok()).expect("two numbers of seeds come first");
    let (first, last) = (number(), number());
    let fast = std::env::var_os("FAST").is_some();
    let (changes, files): (Vec<String>, Vec<String>) = arguments.partition(|text| text.contains('='));
    for name in files {
        let text = Scenario::preset(&name)
            .map(|scenario| scenario.to_toml().to_owned())
            .unwrap_or_else(|| std::fs::read_to_string(&name).expect("presets or files"));
        let text = changes.iter().fold(text, |text, change| replace(&text, change));
        let scenario = Scenario::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let seeds: Vec<u64> = (first..=last).collect();
        let observations: Vec<_> = std::thread::scope(|scope| {
            let halves: Vec<_> = seeds
                .chunks(seeds.len().div_ceil(2))
                .map(|seeds| {
                    scope.spawn(|| seeds.iter().map(|seed| look(&scenario, Seed(*seed), fast)).collect::<Vec<_>>())
                })
                .collect();
            halves.into_iter().flat_map(|half| half.join().expect("no panic")).collect()
        });
        let start = std::time::Instant::now();
        let mut messages = 0;
        for seed in 1..=5 {
            messages +=
                simulate(&scenario, Seed(seed), &mut Inert::new(scenario.new_desk(Seed(seed))), &mut ()).messages;
        }
        let cost = start.elapsed().as_secs_f64() * 200.0;
        let scores = scorecard(&observations);
        let passed = gates(&scores);
        println!(
            "{name} {changes:?}: {} of {}, {cost:.1} ms, {} messages",
            passed.iter().filter(|gate| **gate).count(),
            GATES.len(),
            messages / 5
        );
        for score in &scores {
            let (low, high) = score.interval.unwrap_or((f64::NAN, f64::NAN));
            let mark = if score.passes() { ' ' } else { '*' };
            print!("{mark}{}:{:.3}[{low:.2},{high:.2}]", score.statistic.gate, score.centre.unwrap_or(f64::NAN));
        }
        println!();
    }
}

fn look(scenario: &Scenario, seed: Seed, fast: bool) -> Observation {
    if !fast {
        return observe(scenario, seed);
    }
    let mut observer = Observer::new(scenario.open, scenario.close);
    simulate(scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut observer);
    observer.finish()
}

/// Replaces the value of a key wherever it stands; `kind.key=value` only in groups of that kind.
fn replace(text: &str, change: &str) -> String {
    let (key, value) = change.split_once('=').expect("key=value");
    let (kind, key) = key.split_once('.').map_or((None, key), |(kind, key)| (Some(kind), key));
    let mut inside = kind.is_none();
    let lines = text.lines().map(|line| {
        if let Some(kind) = kind {
            if line.starts_with('[') {
                inside = line.trim_matches(['[', ']']) == kind;
            } else if line.starts_with("kind") {
                inside = line.contains(&format!("\"{kind}\""));
            }
        }
        if inside && line.split('=').next().is_some_and(|found| found.trim() == key) {
            format!("{key} = {value}")
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}
