//! Honest strategies of different kinds under the rules that hold attacks on the score: none is stopped, none is refused for want of means, and what it
//! earns or loses is of the size of what it risks.

use assay_tests::{assay, root, show};
use serde_json::Value;
use std::path::PathBuf;

/// A small market with every kind of agent, and enough seeds to meet a bad one.
const MARKET: [&str; 4] = ["--scenario", "smoke", "--seeds", "12"];
/// The least number of strategies of different kinds.
const STRATEGIES_MIN: usize = 8;
/// Nobody loses more than this in two minutes, in cents: 2.5 % of the capital. A job such as `twap` holds what it must while the price moves.
const LOSS_MAX: f64 = 250_000.0;

/// The examples, but for the one that is bad on purpose, and those that lie beside this test's honest guests.
fn strategies() -> Vec<PathBuf> {
    let folders = ["examples/strategies", "tests/honest/strategies"];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(root().join(folder)).expect("it is there"));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("it is readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rs") && !file.ends_with("reckless.rs"));
    files.sort();
    files
}

#[test]
fn honest_strategies_are_not_harmed() {
    let strategies = strategies();
    assert!(strategies.len() >= STRATEGIES_MIN, "only {strategies:?}");
    for file in strategies {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut command = assay(folder.path());
        let output = command.arg("run").arg(&file).args(MARKET).arg("--no-store").output().expect("assay starts");
        assert_eq!(output.status.code(), Some(0), "{}: {}", file.display(), show(&output));
        let record = std::fs::read(folder.path().join("report/run.json")).expect("a record");
        let record: Value = serde_json::from_slice(&record).expect("JSON");
        let episodes = record["episodes"].as_array().expect("a list");
        assert_eq!(episodes.len(), 12, "{}", file.display());
        for episode in episodes {
            let told = format!("{}, seed {}", file.display(), episode["seed"]);
            assert_eq!(episode["outcome"]["kind"], "finished", "{told}");
            assert!(episode["stopped"].is_null(), "{told}: {}", episode["stopped"]);
            let value = |key: &str| episode["measures"][key]["value"].as_f64();
            assert!(value("pnl").is_some_and(|pnl| pnl > -LOSS_MAX), "{told}: {:?}", value("pnl"));
            let (orders, rejected) = (value("orders").expect("a count"), value("rejections").expect("a count"));
            assert!(rejected <= 0.25 * orders + 5.0, "{told}: {rejected} of {orders} requests were rejected");
        }
    }
}
