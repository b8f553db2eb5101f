//! Prints the event log's hash for each seed: what must not depend on machine, build profile, threads or listeners.
//!
//! `cargo run -p assay-market --example event_hash -- <preset> <seed>… [--keep-bytes] [--threads <n>]`
//!
//! With `--keep-bytes` a second log listens and keeps its bytes; it must come to the same hash.

use assay_market::{EventLog, Inert, Scenario, simulate};
use assay_model::Seed;

fn hash(scenario: &Scenario, seed: Seed, keep_bytes: bool) -> blake3::Hash {
    let mut trader = Inert::new(scenario.new_desk(seed));
    if !keep_bytes {
        return simulate(scenario, seed, &mut trader, &mut ()).log_hash;
    }
    let mut log = EventLog::new(Vec::new());
    let summary = simulate(scenario, seed, &mut trader, &mut log);
    let (_, bytes) = log.finish().expect("a vector takes everything");
    assert_eq!(blake3::hash(&bytes), summary.log_hash, "the kept bytes are the hashed bytes");
    summary.log_hash
}

#[expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example is a program")]
fn main() {
    let mut preset = None;
    let mut seeds = Vec::new();
    let (mut keep_bytes, mut threads) = (false, 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--keep-bytes" => keep_bytes = true,
            "--threads" => threads = arguments.next().and_then(|n| n.parse().ok()).expect("--threads takes a number"),
            _ if preset.is_none() => preset = Some(argument),
            _ => seeds.push(Seed(argument.parse().expect("a seed is a number"))),
        }
    }
    let preset = preset.unwrap_or_else(|| "rmsc04".to_owned());
    let scenario = &Scenario::preset(&preset).expect("the first argument is a preset");
    let share = seeds.len().div_ceil(threads).max(1);
    let hashes: Vec<(Seed, blake3::Hash)> = std::thread::scope(|scope| {
        let workers: Vec<_> = seeds
            .chunks(share)
            .map(|seeds| {
                scope.spawn(move || {
                    seeds.iter().map(|seed| (*seed, hash(scenario, *seed, keep_bytes))).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    for (seed, hash) in hashes {
        println!("{preset} {} {hash}", seed.0);
    }
}
