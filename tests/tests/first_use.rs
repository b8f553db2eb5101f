//! What a newcomer does, through the command line: new, check, run, look; and what the run promises: the same bytes again.

use assay_tests::{assay, assay_binary, show};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    assay(folder).args(arguments).output().expect("assay starts")
}

fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "assay {arguments:?}\n{}", show(&output));
    String::from_utf8(output.stdout).expect("assay prints UTF-8")
}

/// `run.json` without the fields that are documented to differ.
fn record(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("run.json")).expect("the run left a record");
    let mut record: Value = serde_json::from_str(&text).expect("run.json is JSON");
    record.as_object_mut().expect("the record is an object").remove("timing").expect("timing is a named field");
    record
}

fn summary(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("run-summary.md")).expect("the run left a summary")
}

#[test]
fn from_nothing_to_a_report() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    succeed(folder, &["new", "my-strategy"]);
    succeed(folder, &["check", "my-strategy.rs"]);
    let table = succeed(folder, &["run", "my-strategy.rs", "--scenario", "smoke", "--seeds", "3", "--out", "report/"]);
    for word in ["baseline", "difference", "fuel", "memory"] {
        assert!(table.to_lowercase().contains(word), "the table names {word}:\n{table}");
    }
    let page = std::fs::read_to_string(folder.join("report/index.html")).expect("the run left a page");
    // The starter trades little; each place says so, and what to change.
    for text in [&table, &page, &summary(&folder.join("report"))] {
        let next = "it traded too little for an execution score, which then counts as 1 (the cost of only 0 of ";
        assert!(text.contains(next) && text.contains("nearer the touch"), "{text}");
    }
    assert!(page.contains("<svg") && page.contains("my-strategy.rs"), "the page has charts and names the strategy");
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"), "the page loads nothing from elsewhere");
    assert!(
        summary(&folder.join("report")).starts_with("# Run summary\n\nStrategy `my-strategy.rs` on scenario `smoke`")
    );
    let record = record(&folder.join("report"));
    assert_eq!(record["schema"]["name"], "assay.run");
    assert_eq!(record["complete"], true);
    assert_eq!(record["seeds"].as_array().map(Vec::len), Some(3));
}

#[test]
fn the_same_command_gives_the_same_bytes_on_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    succeed(folder, &["new", "s"]);
    let mut records = Vec::new();
    // The folder is part of the reproduce line, so each run is moved away before the next writes there.
    for (kept, threads) in [("first", "1"), ("second", "1"), ("third", "8")] {
        succeed(folder, &["run", "s.rs", "--scenario", "smoke", "--seeds", "4", "--threads", threads]);
        std::fs::rename(folder.join("report"), folder.join(kept)).expect("the report can be moved");
        records.push((record(&folder.join(kept)), summary(&folder.join(kept))));
    }
    assert_eq!(records[0], records[1], "run twice");
    assert_eq!(records[0], records[2], "1 thread and 8");
}

#[test]
fn an_installed_copy_needs_nothing_of_the_repository() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let installed = folder.path().join("bin/assay");
    std::fs::create_dir(folder.path().join("bin")).expect("a folder");
    std::fs::copy(assay_binary(), &installed).expect("the binary can be copied");
    let command = |arguments: &[&str]| {
        std::process::Command::new(&installed)
            .current_dir(folder.path())
            // A cache of its own: the SDK is prepared from what the binary carries.
            .env("ASSAY_CACHE_DIR", folder.path().join("cache"))
            .args(arguments)
            .output()
            .expect("the copy starts")
    };
    for arguments in [&["new", "s"][..], &["run", "s.rs", "--scenario", "smoke", "--seeds", "1"]] {
        let output = command(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{}", show(&output));
    }
}

#[test]
fn every_example_runs_and_the_reckless_one_loses() {
    let examples = assay_tests::root().join("examples/strategies");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut names: Vec<_> = std::fs::read_dir(&examples)
        .expect("examples are there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    names.sort();
    assert!(names.len() >= 5, "at least five examples: {names:?}");
    for path in names {
        let path = path.to_str().expect("example paths are UTF-8");
        succeed(folder.path(), &["check", path]);
        succeed(folder.path(), &["run", path, "--scenario", "rmsc04", "--seeds", "2"]);
        let record = record(&folder.path().join("report"));
        let mean = |key: &str| {
            let measure = record["summary"]["measures"]
                .as_array()
                .and_then(|measures| measures.iter().find(|measure| measure["key"] == key))
                .unwrap_or_else(|| panic!("{path}: the summary has {key}: {}", record["summary"]));
            measure["strategy"]["mean"].as_f64().unwrap_or_else(|| panic!("{path}: a number: {measure}"))
        };
        assert!(mean("fills") > 0.0, "{path} must trade");
        if path.contains("reckless") {
            assert!(mean("pnl") < 0.0, "{path} must lose: {}", mean("pnl"));
        }
    }
}

#[test]
fn a_market_of_two_symbols_is_traded_and_the_report_says_what_is_of_which() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let smoke = succeed(folder, &["scenarios", "show", "smoke"]);
    let two = format!("{smoke}\n[[symbols]]\nsymbol = \"XYZ\"\nbeta = 1.0\n");
    std::fs::write(folder.join("two.toml"), two).expect("a scenario can be written");
    let strategy = assay_tests::root().join("tests/guests/two_symbols.rs");
    let strategy = strategy.to_str().expect("paths of the repository are UTF-8");
    succeed(folder, &["run", strategy, "--scenario", "two.toml", "--seeds", "2"]);
    let record = record(&folder.join("report"));
    assert_eq!(record["scenario"]["symbols"], serde_json::json!(["ASSAY", "XYZ"]));
    assert_eq!(record["verdict"], "finished");
    let page = std::fs::read_to_string(folder.join("report/index.html")).expect("the run left a page");
    assert!(page.contains("The market trades ASSAY and XYZ."), "the page says what is traded");
}

#[test]
fn scenarios_are_listed_and_shown_and_a_copy_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let list = succeed(folder, &["scenarios"]);
    assert!(list.lines().any(|line| line.starts_with("rmsc04 ")), "{list}");
    assert!(list.lines().all(|line| line.len() > 20), "one line each, with a summary:\n{list}");
    let toml = succeed(folder, &["scenarios", "show", "smoke"]);
    succeed(folder, &["scenarios", "new", "mine.toml", "--from", "smoke"]);
    assert_eq!(std::fs::read_to_string(folder.join("mine.toml")).expect("the copy"), toml);
    succeed(folder, &["new", "s"]);
    succeed(folder, &["run", "s.rs", "--scenario", "mine.toml", "--seeds", "1"]);
}

#[test]
fn help_teaches() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (arguments, words) in [
        (&["--help"][..], &["assay new", "Exit codes"][..]),
        (&["run", "--help"], &["--seeds", "5..8", "--scenario"]),
        (&["check", "--help"], &["sarif", "json"]),
    ] {
        let help = succeed(folder.path(), arguments);
        for word in words {
            assert!(help.contains(word), "{arguments:?} names {word}:\n{help}");
        }
    }
}
