//! What a whole day of the larger reference market costs: CPU time and peak memory of one episode of `rmsc03`, seed 1, with an inert trader: 5,128
//! agents, every message, matching, and the hash of the event log.
//!
//! The comparison is ABIDES (jpmorganchase/abides-jpmc-public f9cbe51, Python 3.11, logging off) on the same day, as it was measured on two virtual AMD
//! EPYC processors; a recorded figure, not run here. The process runs nothing else, so its peak resident set is the episode's.
//!
//! `cargo bench -p assay-market --bench rmsc03 [-- --json]`

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads its arguments and the process's own memory, and prints what it found"
)]

use assay_market::{Inert, Scenario, simulate};
use assay_model::Seed;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

const ROUNDS: usize = 5;
const ABIDES_CPU_S: f64 = 90.8;
const ABIDES_RSS_MIB: f64 = 982.0;

fn main() {
    let scenario = Scenario::preset("rmsc03").expect("a preset of this name");
    let seed = Seed(1);
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let before = cpu_s();
            black_box(simulate(&scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut ()));
            cpu_s() - before
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    let json = std::env::args().any(|argument| argument == "--json");
    for (id, median, unit, abides) in [
        ("rmsc03-day-cpu-s", rounds[ROUNDS / 2], "s", ABIDES_CPU_S),
        ("rmsc03-day-rss-mib", peak_mib(), "MiB", ABIDES_RSS_MIB),
    ] {
        let ratio = median / abides;
        if json {
            println!(
                r#"{{"id":"{id}","median":{median:.4},"unit":"{unit}","versus":"ABIDES, as recorded","versus_median":{abides},"ratio":{ratio:.5}}}"#
            );
        } else {
            println!("{id} {median:7.3} {unit}   ABIDES {abides} {unit}   ratio {ratio:.5}");
        }
    }
}

/// CPU time of this thread in seconds: other work on the machine does not count.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The process's peak resident set; not a number where the system does not tell.
fn peak_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib / 1024.0)
}
