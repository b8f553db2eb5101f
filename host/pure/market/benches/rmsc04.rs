//! What half an hour of the reference market costs: CPU time of one whole episode of `rmsc04`, seed 1, with an inert trader: building
//! 1,116 agents, every message, matching, and the hash of the event log.
//!
//! The comparison is ABIDES (jpmorganchase/abides-jpmc-public f9cbe51, Python 3.11) on the same half hour, as it was measured on two
//! virtual AMD EPYC processors. It is a recorded figure, not run here, and CPU seconds for the same market seconds and agents are compared, not messages.
//!
//! `cargo bench -p assay-market --bench rmsc04 [-- --json]`

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads its arguments and prints what it found"
)]

use assay_market::{Inert, Scenario, Summary, simulate};
use assay_model::Seed;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

const ROUNDS: usize = 51;
const ABIDES_CPU_MS: f64 = 960.0;

fn main() {
    let scenario = Scenario::preset("rmsc04").expect("a preset of this name");
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let before = cpu_ms();
            black_box(episode(black_box(&scenario)));
            cpu_ms() - before
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    let median = rounds[ROUNDS / 2];
    let ratio = median / ABIDES_CPU_MS;
    if std::env::args().any(|argument| argument == "--json") {
        println!(
            r#"{{"id":"rmsc04-30min-cpu-ms","median":{median:.3},"unit":"ms","versus":"ABIDES, as recorded","versus_median":{ABIDES_CPU_MS},"ratio":{ratio:.5}}}"#
        );
    } else {
        let summary = episode(&scenario);
        let (least, most) = (rounds[0], rounds[ROUNDS - 1]);
        println!(
            "rmsc04-30min-cpu-ms {median:6.3} ms ({least:.3} to {most:.3})   ABIDES {ABIDES_CPU_MS} ms   ratio {ratio:.5}"
        );
        println!("{} events, {} messages, log {}", summary.events, summary.messages, summary.log_hash);
    }
}

fn episode(scenario: &Scenario) -> Summary {
    let seed = Seed(1);
    simulate(scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut ())
}

/// CPU time of this thread: other work on the machine does not count.
fn cpu_ms() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 * 1e-6
}
