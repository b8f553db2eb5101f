//! A run over several markets, its baseline and its changed keys, and a market without a strategy, through the command line.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_tests::gate::component;
use assay_tests::{assay, show};
use serde_json::Value;
use std::path::Path;

const USAGE: i32 = 2;
const FAILED: i32 = 3;
const STRATEGY: &str = include_str!("../../guest-sdk/template/strategy.rs");

/// Runs `assay` beside the template strategy; expects the exit code and every one of `words` in what it prints.
#[track_caller]
fn check(folder: &Path, arguments: &[&str], exit: i32, words: &[&str]) -> String {
    if !folder.join("s.rs").exists() {
        std::fs::write(folder.join("s.rs"), STRATEGY).unwrap();
    }
    let output = assay(folder).args(arguments).output().unwrap();
    let printed = show(&output);
    assert_eq!(output.status.code(), Some(exit), "assay {arguments:?}\n{printed}");
    for word in words {
        assert!(printed.contains(word), "assay {arguments:?} must say {word:?}\n{printed}");
    }
    assert!(!printed.contains("panicked at"), "assay {arguments:?} must not panic\n{printed}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn several_markets_have_a_report_each_and_one_score() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("wide.toml"), "base = \"smoke\"\nname = \"wide.one\"\nsummary = \"the same\"\n")
        .unwrap();
    let run = ["run", "s.rs", "--scenario", "smoke,wide.toml", "--seeds", "3", "--out", "report"];
    check(folder, &run, 0, &["all markets:", "smoke", "wide.one", "of 10"]);
    let whole = json(&folder.join("report/run.json"));
    assert_eq!(whole["schema"]["name"], "assay.runs");
    let scores: Vec<f64> = ["smoke", "wide-one"]
        .iter()
        .map(|name| {
            let record = json(&folder.join("report").join(name).join("run.json"));
            assert_eq!(record["schema"]["version"], "2.0");
            assert!(folder.join("report").join(name).join("index.html").exists());
            record["score"]["value"].as_f64().unwrap()
        })
        .collect();
    let expected = 0.25 * (scores[0] + scores[1]) + 0.5 * scores[0].min(scores[1]);
    assert!((whole["score"]["value"].as_f64().unwrap() - expected).abs() < 1e-9);
    let page = std::fs::read_to_string(folder.join("report/index.html")).unwrap();
    assert!(page.contains("href=\"wide-one/index.html\"") && page.contains("href=\"smoke/index.html\""));
    let summary = std::fs::read_to_string(folder.join("report/run-summary.md")).unwrap();
    assert!(summary.contains("## `wide.one`") && summary.contains("2 markets"));
    // Each market is a run of its own for whoever looks at runs, and the report may be written over.
    check(folder, &["runs"], 0, &["smoke", "wide.one"]);
    let left = ["report also has reports of an earlier run: smoke, wide-one"];
    check(folder, &["run", "s.rs", "--scenario", "smoke", "--seeds", "2", "--out", "report"], 0, &left);
}

#[test]
fn an_arena_says_what_it_is_at() {
    let folder = tempfile::tempdir().unwrap();
    let arena = ["arena", "s.rs", "s.rs", "--scenario", "smoke", "--seeds", "2"];
    check(folder.path(), &arena, 0, &["s.rs (1 of 2)", "s.rs (2 of 2)", "RATING", "2 games"]);
}

#[test]
fn an_arena_marks_who_fails_and_ranks_it_last() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("broken.wasm"), component(folder, "panic!(\"no idea\")")).unwrap();
    let arena = ["arena", "broken.wasm", "s.rs", "--scenario", "smoke", "--seeds", "2"];
    let words = ["2 of 2", "] *", "failing early can look better than losing", "not every strategy finished"];
    let printed = check(folder, &arena, FAILED, &words);
    let row = |name: &str| printed.lines().position(|line| line.contains(name)).unwrap();
    assert!(row("s.rs") < row("broken.wasm"), "{printed}");
}

#[test]
fn the_previous_version_can_be_the_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = |more: &[&'static str], exit, words: &[&str]| {
        check(folder, &[&["run", "s.rs", "--scenario", "smoke", "--seeds", "3"], more].concat(), exit, words)
    };
    run(&["--baseline", "previous"], USAGE, &["there is no previous version"]);
    run(&[], 0, &[]);
    run(&["--baseline", "previous", "--goal", "risk"], 0, &["beside s.rs", "goal risk"]);
    let record = json(&folder.join("report/run.json"));
    let same = &record["summary"]["measures"][0]["difference"];
    assert_eq!(same["mean"].as_f64(), Some(0.0), "a strategy beside itself");
    assert_eq!(record["baseline"]["file_name"], "s.rs");
    assert_eq!(record["score"]["baseline"], record["baseline"]["component_hash"]);
    assert!(record["command"].as_str().unwrap().ends_with("--goal risk --baseline previous"));
    run(&["--baseline", "s.rs"], 0, &["beside s.rs"]);
    run(&["--baseline", "report/run.json"], 0, &["beside s.rs"]);
    let mut later = json(&folder.join("report/run.json"));
    later["schema"]["version"] = "99.0".into();
    std::fs::write(folder.join("later.json"), later.to_string()).unwrap();
    run(&["--baseline", "later.json"], USAGE, &["version 99.0; this release reads"]);
    std::fs::write(folder.join("not.json"), "{}").unwrap();
    run(&["--baseline", "not.json"], USAGE, &["failed to read the baseline from not.json"]);
    run(&["--baseline", "none.rs"], USAGE, &["none.rs"]);
}

#[test]
fn keys_of_the_market_can_be_changed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = |set: &str, exit, words: &[&str]| {
        check(folder, &["run", "s.rs", "--scenario", "smoke", "--seeds", "2", "--set", set], exit, words)
    };
    run("strategy.starting_cash=123456", 0, &[]);
    let record = json(&folder.join("report/run.json"));
    assert_eq!(record["scenario"]["starting_cash"], 123_456);
    assert!(record["command"].as_str().unwrap().contains("--set strategy.starting_cash=123456"));
    run("strategy.starting_cassh=1", USAGE, &["starting_cassh"]);
    run("strategy.starting_cash=-5", USAGE, &["starting_cash"]);
    run("nonsense", USAGE, &["failed to change the scenario smoke by --set 'nonsense'", "quotes around text"]);
    run("strategy.latency=5ms", USAGE, &["by --set 'strategy.latency=5ms'", "quotes around text"]);
    check(folder, &["run", "s.rs", "--scenario", "smoke,smoke"], USAGE, &["two of the markets are called `smoke`"]);
    check(folder, &["run", "s.rs", "--scenario", "smoke,smokey"], USAGE, &["smokey", "did you mean"]);
    check(folder, &["run", "s.rs", "--goal", "fame"], USAGE, &["fame", "balanced"]);
}

#[test]
fn a_market_can_be_observed_without_a_strategy() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let observe = ["observe", "smoke", "--seeds", "3", "--out", "seen"];
    check(folder, &observe, 0, &["who", "price moves", "halts and auctions", "Spread"]);
    let record = json(&folder.join("seen/observation.json"));
    assert_eq!(record["schema"]["name"], "assay.observation");
    let share =
        |key: &str| record["kinds"].as_array().unwrap().iter().map(|kind| kind[key].as_f64().unwrap()).sum::<f64>();
    assert!((share("volume_share") - 1.0).abs() < 1e-9 && (share("moves_share") - 1.0).abs() < 1e-9);
    assert!(share("pnl_at_mid").abs() < 1.0, "what one kind wins another loses, before fees");
    let page = std::fs::read_to_string(folder.join("seen/index.html")).unwrap();
    assert!(page.contains("Who trades") && page.contains("<svg") && !page.contains("strategy has moved the market"));

    let printed = check(folder, &[&observe[..], &["--json", "--data", "--threads", "8"]].concat(), 0, &[]);
    let again: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(again["kinds"], record["kinds"], "whatever the number of threads");
    let sql = "select count(distinct seed) as seeds, count(distinct episode) as episodes from trades";
    let answer = check(folder, &["query", "seen", sql, "--format", "csv"], 0, &[]);
    assert_eq!(answer.lines().nth(1), Some("3,1"), "{answer}");
    check(folder, &["observe", "smokey"], USAGE, &["did you mean `smoke`"]);
    check(folder, &["observe", "smoke", "--set", "market.closing=1"], USAGE, &["closing"]);
}
