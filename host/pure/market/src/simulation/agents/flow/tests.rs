//! The process against its closed-form mean, dispersion and shape.

use assay_model::{Nanos, Seed, Time};

use super::Flow;
use crate::owner::Owner;
use crate::scenario::FlowSettings;
use crate::simulation::agents::Hours;

const SESSION: u64 = 20_000;

/// Wake-ups of each of `seeds` sessions, in seconds since the open.
fn sessions(self_excitation: f64, edge_ratio: f64, seeds: u64) -> Vec<Vec<f64>> {
    let settings = FlowSettings {
        wake_interval: Nanos::SECOND,
        self_excitation,
        memory_shortest: Nanos(100_000_000),
        memory_longest: Nanos::from_secs(10),
        edge_ratio,
    };
    let open = Time(1_000_000_000_000);
    let hours = Hours { open, close: open + Nanos::from_secs(SESSION) };
    let session = |seed| {
        let (mut flow, first) = Flow::new(&settings, Owner { seed: Seed(seed), name: "flow-1" }, hours);
        let times = std::iter::successors(Some(first), |_| Some(flow.advance()));
        let inside = times.take_while(|at| *at < hours.close);
        inside.map(|at| at.since(open).0 as f64 * 1e-9).collect()
    };
    (1..=seeds).map(session).collect()
}

fn count_between(times: &[f64], from: f64, until: f64) -> f64 {
    times.iter().filter(|at| (from..until).contains(*at)).count() as f64
}

#[test]
fn the_mean_rate_is_the_one_asked_for() {
    // The multiple of the midday rate over the whole session: 1 + (edge − 1) / 3.
    for (excitation, edge, multiple) in
        [(0.0, 1.0, 1.0), (0.8, 1.0, 1.0), (0.0, 4.0, 2.0), (0.6, 2.5, 1.5), (0.3, 0.4, 0.8)]
    {
        let sessions = sessions(excitation, edge, 10);
        let mean = sessions.iter().map(Vec::len).sum::<usize>() as f64 / (10.0 * SESSION as f64);
        assert!((mean / multiple - 1.0).abs() < 0.06, "{excitation}, {edge}: {mean} a second, not {multiple}");
    }
}

#[test]
fn counts_are_as_dispersed_as_those_of_a_hawkes_process() {
    // Over windows far longer than the memory, variance over mean tends to 1 / (1 − n)².
    for (excitation, expected) in [(0.0, 1.0), (0.5, 4.0), (0.7, 1.0 / 0.09)] {
        let counts: Vec<f64> = sessions(excitation, 1.0, 10)
            .iter()
            .flat_map(|times| {
                (0..50).map(|window| count_between(times, f64::from(window) * 400.0, f64::from(window + 1) * 400.0))
            })
            .collect();
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let variance = counts.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>() / counts.len() as f64;
        let found = variance / mean;
        assert!((found / expected - 1.0).abs() < 0.25, "{excitation}: {found}, not {expected}");
    }
}

#[test]
fn open_and_close_are_busier_than_midday() {
    let third =
        |times: &[f64], first: f64| count_between(times, first * SESSION as f64, (first + 0.1) * SESSION as f64);
    let sessions = sessions(0.5, 5.0, 20);
    let total = |first| sessions.iter().map(|times| third(times, first)).sum::<f64>();
    let midday = total(0.45);
    // The parabola's mean over the outer tenth is 1 + 4 · 0.8133, over the middle one 1 + 4 · 0.0033.
    for edge in [total(0.0), total(0.9)] {
        let ratio = edge / midday;
        assert!((3.8..4.7).contains(&ratio), "{ratio}, not 4.2");
    }
}
