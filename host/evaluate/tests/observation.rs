//! A market without a strategy: what its agents do adds up, and depends on nothing but scenario and seed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_evaluate::{ObservationRecord, Seeds, ToolRecord, Watch, observe};
use assay_market::Scenario;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

fn seen(preset: &str, seeds: u64, threads: usize, cancelled: bool) -> ObservationRecord {
    let scenario = Scenario::preset(preset).unwrap();
    let watch = Watch {
        scenario: &scenario,
        seeds: &Seeds::count(seeds).unwrap(),
        threads: NonZeroUsize::new(threads).unwrap(),
        tool: ToolRecord { assay: "0.0.0".to_owned(), wasmtime: "0.0.0".to_owned() },
        command: "assay observe".to_owned(),
        recorder: None,
    };
    let done = AtomicUsize::new(0);
    let record = observe(&watch, &|_, _| _ = done.fetch_add(1, Ordering::Relaxed), &AtomicBool::new(cancelled));
    let record = record.unwrap();
    assert_eq!(done.into_inner(), record.seeds.len() - record.not_run.len(), "progress hears of every seed");
    record
}

#[test]
fn what_agents_do_adds_up() {
    let record = seen("smoke", 4, 2, false);
    let sum = |value: fn(&assay_evaluate::KindRecord) -> f64| record.kinds.iter().map(value).sum::<f64>();
    assert!((sum(|kind| kind.volume_share) - 1.0).abs() < 1e-12);
    assert!((sum(|kind| kind.moves_share) - 1.0).abs() < 1e-12);
    assert!(sum(|kind| kind.pnl_at_mid).abs() < 1e-3, "what one wins another loses");
    let scenario = Scenario::preset("smoke").unwrap();
    assert_eq!(sum(|kind| kind.agents as f64), f64::from(scenario.trader().0));
    let taken: f64 = record.kinds.iter().filter_map(|kind| Some(kind.taker_share? * kind.volume_share)).sum();
    assert!((taken - 0.5).abs() < 1e-12, "each trade has one taker");
    assert!(record.measures.iter().any(|row| row.key == "spread" && row.mean.is_some_and(|mean| mean > 0.0)));
    assert!(record.measures.iter().all(|row| record.definitions.iter().any(|other| other.key == row.key)));
    assert_eq!(record.series.as_ref().unwrap().seed, 1);
}

#[test]
fn threads_and_json_change_nothing() {
    let record = seen("smoke", 3, 1, false);
    assert_eq!(record, seen("smoke", 3, 8, false));
    let json = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<ObservationRecord>(&json).unwrap(), record);
}

#[test]
fn an_interruption_leaves_seeds_out() {
    let record = seen("smoke", 3, 1, true);
    assert_eq!(record.not_run, [1, 2, 3]);
    assert!(record.series.is_none() && record.kinds.iter().all(|kind| kind.volume_share == 0.0));
}
