//! Reports that say what cannot be: they are shown with a notice that names it, and cannot be compared. What could not be computed again is told, too.

use crate::api::{ask, json_of};
use crate::fixture::Server;
use crate::stored;
use assay_evaluate::{BASELINE, Goal, RunRecord, Seeds, StrategyRecord, ToolRecord, Trial, evaluate};
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
        Some("`score.value` is 7.25, but computed from the episodes it "),
    ),
    (
        "another part of the score",
        |record| record["score"]["tree"]["parts"] = json!([]),
        Some("`score.tree` has other parts than when it is computed from the episodes"),
    ),
    (
        "a reason that is too long to be quoted whole",
        |record| record["score"]["reason"] = json!("a reason that is longer than forty characters in all"),
        Some("longer than forty chara\u{2026}"),
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
        Some("`summary.measures.volume.strategy.mean` is 1.5, but computed from the episodes it "),
    ),
    (
        "another value of a seed",
        |record| record["episodes"][0]["measures"]["volume"]["value"] = json!(1.5),
        Some("`summary.measures.volume.strategy.mean` is "),
    ),
    (
        "another verdict",
        |record| record["verdict"] = json!("failed"),
        Some("`verdict` is failed, but computed from the episodes it is finished"),
    ),
    (
        "a version that had no score yet",
        |record| record["schema"]["version"] = json!("1.9"),
        Some("`schema.version` is 1.9, but there is what came with version 2.0: score, scenario.starting_cash"),
    ),
    ("no row of a measure", |record| drop(take_row(record)), Some("`summary.measures` has no row of volume")),
    (
        "two rows of a measure",
        |record| {
            let row = volume(record).clone();
            record["summary"]["measures"].as_array_mut().expect("rows").push(row);
        },
        Some("`summary.measures` has 2 rows of volume, but one belongs there"),
    ),
    (
        "neither row nor definition of a measure",
        |record| {
            take_row(record);
            record["measures"].as_array_mut().expect("definitions").retain(|one| one["key"] != "volume");
        },
        Some("the measures of seeds 1, 2, 3 are not those that `measures` defines"),
    ),
    (
        "another p-value",
        |record| volume(record)["difference"]["p"] = json!(0.001),
        Some("`summary.measures.volume.difference.p` is 0.001, but computed from the episodes it "),
    ),
    (
        "another corrected p-value",
        |record| volume(record)["difference"]["p_corrected"] = json!(0.001),
        Some("`summary.measures.volume.difference.p_corrected` is 0.001, but computed from the episodes it "),
    ),
    (
        "an interval that is not there",
        |record| volume(record)["strategy"]["sd"] = Value::Null,
        Some("`summary.measures.volume.strategy.sd` has no value, but computed from the episodes it "),
    ),
    (
        "more evidence",
        |record| record["summary"]["evidence"]["observations"] = json!(99),
        Some("`summary.evidence.observations` is 99, but computed from the episodes it "),
    ),
    (
        "other cautions",
        |record| record["summary"]["evidence"]["cautions"] = json!(["All is well.", "It is."]),
        Some("`summary.evidence.cautions"),
    ),
    (
        "another group, in which fewer are corrected",
        |record| record["measures"][0]["group"] = json!("alone"),
        Some("`measures.pnl.group` is alone, but it is profit"),
    ),
    (
        "another confidence",
        |record| record["summary"]["confidence"] = json!(0.5),
        Some("`summary.confidence` is 0.5, but computed from the episodes it is 0.95"),
    ),
    (
        "another market of the score",
        |record| record["score"]["markets"][0]["seeds"] = json!(77),
        Some("seeds` is 77, but computed from the episodes it "),
    ),
];

/// What may be in an honest record that is not of this release, and what could not be computed again then.
const HONEST: &[Case] = &[
    ("nothing", |_| {}, None),
    (
        "the score of another goal",
        |record| {
            let run: RunRecord = serde_json::from_value(record.clone()).expect("a record");
            record["score"] = serde_json::to_value(run.score(Goal::Profit)).expect("JSON");
        },
        None,
    ),
    (
        "the words of another release",
        |record| {
            record["tool"]["assay"] = json!("0.0.1");
            record["summary"]["evidence"]["cautions"] = json!(["It said so otherwise."]);
        },
        None,
    ),
    (
        "rules of another score",
        |record| record["score"]["version"] = json!("0"),
        Some(
            "its score could not be computed again: it follows version 0 of the rules, and this release has version 1",
        ),
    ),
    ("an earlier version", as_earlier, Some("its figures could not be computed again: it follows version 1.3 of the")),
    (
        "a value that is no number",
        |record| record["episodes"][0]["measures"]["volume"] = json!({"value": null}),
        Some("its figures of volume could not be computed again: an episode has neither a value nor a reason"),
    ),
];

/// Takes the row of a measure out.
fn take_row(record: &mut Value) -> Value {
    let rows = record["summary"]["measures"].as_array_mut().expect("measures");
    let place = rows.iter().position(|row| row["key"] == "volume").expect("a row");
    rows.remove(place)
}

/// Makes a record what a release before version 2.0 of the schema wrote.
pub(crate) fn as_earlier(record: &mut Value) {
    let remove = |of: &mut Value, names: &[&str]| {
        of.as_object_mut().expect("fields").retain(|name, _| !names.contains(&name.as_str()));
    };
    record["schema"]["version"] = json!("1.3");
    remove(record, &["score"]);
    remove(&mut record["scenario"], &["starting_cash"]);
    remove(&mut record["summary"], &["evidence"]);
    for row in record["summary"]["measures"].as_array_mut().expect("rows") {
        remove(&mut row["difference"], &["observations", "p", "p_corrected"]);
    }
}

/// The row of a measure that every market has.
fn volume(record: &mut Value) -> &mut Value {
    let rows = record["summary"]["measures"].as_array_mut().expect("measures");
    rows.iter_mut().find(|row| row["key"] == "volume").expect("a row")
}

/// The record of a strategy that does nothing, as `assay run` writes it.
pub(crate) fn record(seeds: u64) -> Value {
    let scenario = Scenario::preset("smoke").expect("a preset");
    let trial = Trial {
        scenario: &scenario,
        seeds: &Seeds::count(seeds).expect("seeds"),
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

/// Checks what is said of each changed record: its `contradictions` or what is `unchecked`, by `field`.
fn check(cases: &[Case], field: &str) {
    let is_wrong = field == "contradictions";
    let folder = tempfile::tempdir().expect("a folder");
    let whole = record(3);
    for (number, (_, change, _)) in cases.iter().enumerate() {
        let mut record = whole.clone();
        change(&mut record);
        let run = folder.path().join(format!("case-{number:02}"));
        fs::create_dir_all(&run).expect("made");
        fs::write(run.join("run.json"), record.to_string()).expect("written");
    }
    let server = Server::start(&[folder.path()]);
    let folders = json_of(&server, "/api/folders?what=report");
    for (number, (name, _, expected)) in cases.iter().enumerate() {
        let ending = format!("/case-{number:02}");
        let all = folders["folders"].as_array().expect("folders");
        let found = all.iter().find(|one| one["name"].as_str().is_some_and(|name| name.ends_with(&ending)));
        let page = found.unwrap_or_else(|| panic!("{name}\n{folders}"))["page"].as_str().expect("a page");
        let answer = server.get(page);
        assert_eq!(answer.status, 200, "{name}\n{}", answer.body);
        let is_denied = is_wrong && expected.is_some();
        assert_eq!(answer.body.contains("Do not believe the figures"), is_denied, "{name}\n{}", answer.body);
        let report = json_of(&server, &format!("/api{page}/report"));
        assert_eq!(report["contradictions"].as_array().is_none_or(Vec::is_empty), !is_denied, "{name}\n{report}");
        for path in ["", "/measures"] {
            let other = json_of(&server, &format!("/api{page}{path}"));
            assert_eq!(other["contradictions"], report["contradictions"], "{name}: {path}\n{other}");
        }
        let told: Vec<&str> = report[field].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
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
fn a_report_that_says_what_cannot_be_is_shown_with_a_notice() {
    check(CASES, "contradictions");
}

#[test]
fn an_honest_report_says_what_could_not_be_computed_again() {
    check(HONEST, "unchecked");
}

#[test]
fn a_run_whose_record_is_not_believed_cannot_be_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = record(3);
    let (mut changed, mut unknown) = (whole.clone(), whole.clone());
    changed["score"]["value"] = json!(99.0);
    unknown["more"] = json!(1);
    let records = [&whole, &whole, &changed, &unknown].map(|record| record.to_string().into_bytes());
    let (contradicts, unreadable) = ("contradicts itself: `score.value` is 99", "cannot be read: unknown field `more`");
    let (ids, location, artifacts) = stored::recorded(folder.path(), records.into());
    let server = Server::start_with(&[], |settings| {
        (settings.sources.store, settings.sources.artifacts) = (location, artifacts);
    });
    for (a, b, expected) in [
        (0, 1, None),
        (0, 2, Some(("B", contradicts))),
        (2, 0, Some(("A", contradicts))),
        (0, 3, Some(("B", unreadable))),
    ] {
        let path = format!("/compare?a={}&b={}", ids[a], ids[b]);
        let page = server.get(&path);
        let told = ask(&server, &format!("/api{path}"));
        let status = if expected.is_some() { 422 } else { 200 };
        assert_eq!((page.status, told.status), (status, status), "{path}\n{}", page.body);
        let Some((side, why)) = expected else { continue };
        for body in [&page.body, &told.body] {
            let words = format!("{side} has a run.json that {why}");
            assert!(body.contains(&words), "{path}: {words}\n{body}");
        }
    }
    let page = server.get(&format!("/runs/{}", ids[2]));
    assert!(page.body.contains("Do not believe the figures"), "{}", page.body);
}
