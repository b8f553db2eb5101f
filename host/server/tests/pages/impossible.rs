//! Reports that say what cannot be: they are shown with a notice that names it, and no comparison takes them.

use crate::api::{ask, json_of};
use crate::fixture::Server;
use crate::stored;
use assay_evaluate::{BASELINE, Seeds, StrategyRecord, ToolRecord, Trial, evaluate};
use assay_market::Scenario;
use serde_json::{Value, json};
use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

/// What somebody does to a record, and what is said of it then.
type Case = (&'static str, fn(&mut Value), Option<&'static str>);

const CASES: &[Case] = &[
    ("nothing", |_| {}, None),
    (
        "a score beyond the scale",
        |record| record["score"]["value"] = json!(99.0),
        Some("`score.value` is 99, but a score is from 1 to 10"),
    ),
    (
        "another score",
        |record| {
            record["score"]["value"] = json!(7.25);
            record["score"]["interval"] = Value::Null;
        },
        Some("`score.value` is 7.25, but the episodes give "),
    ),
    (
        "another part of the score",
        |record| record["score"]["tree"]["parts"] = json!([]),
        Some("`score.tree` has other parts than the episodes give"),
    ),
    (
        "ends of an interval in reverse",
        |record| record["score"]["interval"] = json!({"low": 5.0, "high": 2.0, "degenerate": false}),
        Some("`score.interval` begins at 5 and ends at 2"),
    ),
    (
        "an interval beyond the scale",
        |record| record["score"]["interval"] = json!({"low": 0.0, "high": 11.0, "degenerate": false}),
        Some("`score.interval` is from 0 to 11, but a score is from 1 to 10"),
    ),
    ("no episodes", |record| record["episodes"] = json!([]), Some("nothing says what became of seeds 1, 2, 3 of")),
    ("a seed twice", |record| record["seeds"] = json!([1, 2, 2, 3]), Some("`seeds` names seed 2 more than once")),
    (
        "an episode twice",
        |record| record["episodes"][1]["seed"] = json!(1),
        Some("`episodes`, `unscored` and `not_run` name seed 1 more than once"),
    ),
    (
        "an episode of another seed",
        |record| record["episodes"][2]["seed"] = json!(77),
        Some("there are results of seed 77 which"),
    ),
    (
        "an interruption of nothing",
        |record| record["complete"] = json!(false),
        Some("`complete` is false, but no seed was left out"),
    ),
    (
        "too much confidence",
        |record| record["summary"]["confidence"] = json!(7.0),
        Some("`summary.confidence` is 7, but a probability"),
    ),
    (
        "a probability above 1",
        |record| volume(record)["difference"]["p"] = json!(1.5),
        Some("`summary.measures.volume.difference.p` is 1.5, but a probability"),
    ),
    (
        "another mean",
        |record| volume(record)["strategy"]["mean"] = json!(1.5),
        Some("`summary.measures.volume.strategy.mean` is 1.5, but the episodes give "),
    ),
    (
        "another value of a seed",
        |record| record["episodes"][0]["measures"]["volume"]["value"] = json!(1.5),
        Some("`summary.measures.volume.strategy.mean` is "),
    ),
    (
        "another verdict",
        |record| record["verdict"] = json!("failed"),
        Some("`verdict` is failed, but the episodes give finished"),
    ),
];

/// The row of a measure that every market has.
fn volume(record: &mut Value) -> &mut Value {
    let rows = record["summary"]["measures"].as_array_mut().expect("measures");
    rows.iter_mut().find(|row| row["key"] == "volume").expect("a row")
}

/// The record of a strategy that does nothing, as `assay run` writes it.
fn record() -> Value {
    let scenario = Scenario::preset("smoke").expect("a preset");
    let trial = Trial {
        scenario: &scenario,
        seeds: &Seeds::count(3).expect("seeds"),
        threads: NonZeroUsize::MIN,
        tool: ToolRecord { assay: "0.1.0".to_owned(), wasmtime: "48.0.8".to_owned() },
        command: "assay run idle.rs --scenario smoke --seeds 3".to_owned(),
        strategy: StrategyRecord {
            file_name: "idle.rs".to_owned(),
            source: None,
            source_hash: None,
            component_hash: "b".repeat(64),
            sdk_version: None,
            rustc_version: None,
        },
        findings: Vec::new(),
        findings_omitted: 0,
        recorder: None,
        baselines: None,
    };
    let record = evaluate(&trial, &BASELINE, &(), &AtomicBool::new(false)).expect("it ran");
    serde_json::to_value(&record).expect("JSON")
}

#[test]
fn a_report_that_says_what_cannot_be_is_shown_with_a_notice() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = record();
    for (number, (_, change, _)) in CASES.iter().enumerate() {
        let mut record = whole.clone();
        change(&mut record);
        let run = folder.path().join(format!("case-{number:02}"));
        fs::create_dir_all(&run).expect("made");
        fs::write(run.join("run.json"), record.to_string()).expect("written");
    }
    let server = Server::start(&[folder.path()]);
    let folders = json_of(&server, "/api/folders?what=report");
    for (number, (name, _, expected)) in CASES.iter().enumerate() {
        let ending = format!("/case-{number:02}");
        let all = folders["folders"].as_array().expect("folders");
        let found = all.iter().find(|one| one["name"].as_str().is_some_and(|name| name.ends_with(&ending)));
        let page = found.unwrap_or_else(|| panic!("{name}\n{folders}"))["page"].as_str().expect("a page");
        let answer = server.get(page);
        assert_eq!(answer.status, 200, "{name}\n{}", answer.body);
        assert_eq!(answer.body.contains("Do not believe the figures"), expected.is_some(), "{name}\n{}", answer.body);
        let told = json_of(&server, &format!("/api{page}/report"))["contradictions"].clone();
        let told: Vec<&str> = told.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        match expected {
            None => assert!(told.is_empty(), "{name}\n{told:?}"),
            Some(words) => {
                assert!(told.iter().any(|why| why.contains(words)), "{name}: {words}\n{told:?}");
                assert!(answer.body.contains(words), "{name}: {words}\n{}", answer.body);
            }
        }
    }
}

#[test]
fn no_comparison_takes_a_run_whose_record_contradicts_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = record();
    let mut changed = whole.clone();
    changed["score"]["value"] = json!(99.0);
    let records = [&whole, &whole, &changed].map(|record| record.to_string().into_bytes());
    let (ids, location, artifacts) = stored::recorded(folder.path(), records.into());
    let server = Server::start_with(&[], |settings| {
        (settings.sources.store, settings.sources.artifacts) = (location, artifacts);
    });
    for (a, b, side) in [(0, 1, None), (0, 2, Some("B")), (2, 0, Some("A"))] {
        let path = format!("/compare?a={}&b={}", ids[a], ids[b]);
        let page = server.get(&path);
        let told = ask(&server, &format!("/api{path}"));
        let status = if side.is_some() { 422 } else { 200 };
        assert_eq!((page.status, told.status), (status, status), "{path}\n{}", page.body);
        let Some(side) = side else { continue };
        for body in [&page.body, &told.body] {
            let words = format!("{side} has a run.json that contradicts itself: `score.value` is 99");
            assert!(body.contains(&words), "{path}: {words}\n{body}");
        }
    }
    let page = server.get(&format!("/runs/{}", ids[2]));
    assert!(page.body.contains("Do not believe the figures"), "{}", page.body);
}
