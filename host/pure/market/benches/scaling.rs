//! What an event costs in a larger market: `rmsc04` with 1, 10 and 100 times its agents of every kind, seed 1, an inert trader.
//!
//! The three are timed in turn and the least of the rounds counts: what else the machine does can only add, and adds most to the largest, which needs
//! the shared cache. An event is one of the exchange's: requests, answers, trades, quotes. The bar is 1.5 times the cost with 100 times the agents.
//!
//! `cargo bench -p assay-market --bench scaling [-- --json | --markdown]`

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads its arguments and prints what it found"
)]

use assay_market::{Inert, Scenario, Summary, simulate};
use assay_model::Seed;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

const TIMES: [u32; 3] = [1, 10, 100];
const ROUNDS: usize = 9;
/// Small episodes are repeated to this many events a round.
const EVENTS_PER_ROUND: u64 = 200_000;

/// One size of the market.
struct Size {
    scenario: Scenario,
    summary: Summary,
    /// CPU nanoseconds an event, in the best round.
    nanoseconds: f64,
}

fn main() {
    let mut sizes = TIMES.map(|times| {
        let scenario = enlarged(times);
        Size { summary: episode(&scenario), scenario, nanoseconds: f64::INFINITY }
    });
    for _ in 0..ROUNDS {
        for size in &mut sizes {
            let repeats = (EVENTS_PER_ROUND / size.summary.events).max(1);
            let before = cpu_s();
            for _ in 0..repeats {
                black_box(episode(black_box(&size.scenario)));
            }
            let nanoseconds = (cpu_s() - before) * 1e9 / (repeats * size.summary.events) as f64;
            size.nanoseconds = size.nanoseconds.min(nanoseconds);
        }
    }
    let [small, _, large] = sizes.each_ref().map(|size| size.nanoseconds);
    let ratio = large / small;
    if std::env::args().any(|argument| argument == "--json") {
        println!(
            r#"{{"id":"scaling-per-event","median":{large:.1},"unit":"ns","versus":"a hundredth of the agents","versus_median":{small:.1},"ratio":{ratio:.3}}}"#
        );
    } else if std::env::args().any(|argument| argument == "--markdown") {
        println!(
            "## Cost against size\n\n`rmsc04` for half an hour, seed 1, with more agents of every kind; the least of {ROUNDS} rounds.\n"
        );
        println!(
            "| agents | events | messages | CPU ms | ns an event | of the first |\n|---:|---:|---:|---:|---:|---:|"
        );
        for Size { scenario, summary, nanoseconds } in &sizes {
            let milliseconds = nanoseconds * summary.events as f64 * 1e-6;
            let (agents, of_first) = (scenario.agent_count(), nanoseconds / small);
            let Summary { events, messages, .. } = summary;
            println!("| {agents} | {events} | {messages} | {milliseconds:.1} | {nanoseconds:.0} | {of_first:.2} |");
        }
    } else {
        println!("scaling-per-event {large:6.1} ns   with a hundredth of the agents {small:6.1} ns   ratio {ratio:.3}");
    }
}

/// `rmsc04` with a multiple of its agents.
fn enlarged(times: u32) -> Scenario {
    let preset = Scenario::preset("rmsc04").expect("a preset of this name");
    let mut text = String::new();
    for line in preset.to_toml().lines() {
        match line.strip_prefix("count = ") {
            Some(count) => {
                let count: u32 = count.replace('_', "").parse().expect("the preset's counts are numbers");
                text += &format!("count = {}\n", count * times);
            }
            None => {
                text += line;
                text.push('\n');
            }
        }
    }
    Scenario::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

fn episode(scenario: &Scenario) -> Summary {
    let seed = Seed(1);
    simulate(scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut ())
}

/// CPU time of this thread in seconds: other work on the machine does not count.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
