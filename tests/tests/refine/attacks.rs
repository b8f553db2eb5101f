//! Attacks on promotion: what only looks better does not become champion.

use super::{events, of_kind, refine, script};
use assay_evaluate::{RunRecord, Sample};
use assay_tests::{assay, root, show};
use serde_json::{Value, json};
use std::path::Path;

/// Seeds by which an attack must earn for certain if it wins a promotion: then it is none, in that market.
const PROOF_SEEDS: &str = "900001..904000";

/// A session in which a scripted model writes the programs in these files, one after the other, beside a strategy that does nothing: its events.
fn session(origin: &str, files: &[&Path], market: &str, width: usize) -> Vec<Value> {
    let home = tempfile::tempdir().expect("a folder");
    let extension = files[0].extension().and_then(|extension| extension.to_str()).expect("it has one");
    let file = format!("idle.{extension}");
    std::fs::write(home.path().join(&file), origin).expect("written");
    let answer = |(index, path): (usize, &&Path)| {
        let source = std::fs::read_to_string(path).expect("there");
        let name = path.file_name().expect("a name").to_string_lossy();
        let (generation, slot) = (1 + index / width, index % width);
        json!({"about": format!("candidate {generation}.{slot}."), "text": format!("IDEA: {name}\n```\n{source}```")})
    };
    script(home.path(), &files.iter().enumerate().map(answer).collect::<Vec<_>>());
    let (generations, width) = (files.len().div_ceil(width).to_string(), width.to_string());
    let model = ["attack", "--model", "scripted:script.jsonl", "--from", &file, "--scenario", market];
    let numbers = ["--generations", &generations, "--width", &width, "--plateau", "0"];
    refine(home.path(), &[&model[..], &numbers[..]].concat(), 0);
    let events = events(home.path(), "idle-1");
    let unwritten = of_kind(&events, "unwritten");
    assert_eq!(of_kind(&events, "written").len(), 1 + files.len(), "{market}: {unwritten:?}");
    events
}

/// The files whose programs were promoted in a session, by the place that they were written for.
fn promoted<'a>(events: &[Value], files: &[&'a Path], width: usize) -> Vec<&'a Path> {
    let decided = of_kind(events, "decided").into_iter().filter(|body| body["promoted"] == true);
    let file = |body: &Value| {
        let (generation, slot) = body["candidate"].as_str().and_then(|place| place.split_once('.')).expect("a place");
        let number = |text: &str| text.parse::<usize>().expect("a number");
        files[(number(generation) - 1) * width + number(slot)]
    };
    decided.map(file).collect()
}

/// What a program earns in dollars a session over many other seeds: its mean and 95% interval.
fn earns(path: &Path, market: &str) -> (f64, f64, f64) {
    let home = tempfile::tempdir().expect("a folder");
    let file = path.to_string_lossy();
    let words = ["run", &*file, "--scenario", market, "--seeds", PROOF_SEEDS, "--no-store"];
    let output = assay(home.path()).args(words).output().expect("assay starts");
    assert_eq!(output.status.code(), Some(0), "{}", show(&output));
    let text = std::fs::read(home.path().join("report/run.json")).expect("written");
    let record: RunRecord = serde_json::from_slice(&text).expect("a record");
    let dollars = |cents: f64| cents / 100.0;
    let profits = record.episodes.iter().map(|episode| episode.measures["pnl"].value.map_or(0.0, dollars)).collect();
    let estimate = Sample::of_distinct(profits).estimate().expect("there are seeds");
    let interval = estimate.interval.expect("many seeds");
    (estimate.mean, interval.low, interval.high)
}

/// A few attacks in one generation. With `ASSAY_ALL_ATTACKS` set (`make attacks-refine`), all of class J, each in a generation of its own, so that each
/// that leads its race has a trial.
#[test]
fn an_attack_on_the_score_does_not_become_champion() {
    let folder = root().join("tests/hostile/j");
    let idle = std::fs::read_to_string(folder.join("do-nothing.rs")).expect("there");
    if std::env::var_os("ASSAY_ALL_ATTACKS").is_none() {
        let names = ["mark-sweep-at-close", "mark-hidden", "churn-for-volume", "spoof-the-imbalance", "false-touch"];
        let files = names.map(|name| folder.join(format!("{name}.rs")));
        let files: Vec<&Path> = files.iter().map(|file| &**file).collect();
        let events = session(&idle, &files, "smoke", 5);
        assert_eq!(promoted(&events, &files, 5), Vec::<&Path>::new());
        return;
    }
    let entries = std::fs::read_dir(folder).expect("there").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries.collect();
    files.sort();
    let of = |extension: &str| -> Vec<&Path> {
        let is_it = |file: &&Path| file.extension().is_some_and(|found| found == extension);
        files.iter().map(|file| &**file).filter(is_it).collect()
    };
    let (python, rust) = (of("py"), of("rs"));
    assert!(python.len() >= 2 && rust.len() >= 50, "{python:?} {rust:?}");
    for market in ["smoke", "calm"] {
        let idle_python = "from assay import Strategy\nclass S(Strategy):\n    pass\n";
        let mut trials = 0;
        for (idle, files) in [(&*idle, &rust), (idle_python, &python)] {
            let events = session(idle, files, market, 1);
            trials += of_kind(&events, "decided").len();
            for file in promoted(&events, files, 1) {
                let (mean, low, high) = earns(file, market);
                let words =
                    format!("{market}: {} is champion and earns ${mean:.2} ({low:.2} to {high:.2})", file.display());
                println!("{words}");
                assert!(low > 0.0, "{words}: it was promoted for nothing");
            }
        }
        println!("{market}: {} attacks written, {trials} of them had a trial", rust.len() + python.len());
    }
}

/// Its blocks win, as each has a floor under its points; over many seeds together its losses count in full.
#[test]
fn a_large_loss_now_and_then_is_seen_over_many_seeds_at_once() {
    let idle = std::fs::read_to_string(root().join("tests/hostile/j/do-nothing.rs")).expect("there");
    let file = root().join("tests/hostile/promotion/burn-now-and-then.rs");
    let events = session(&idle, &[&file], "calm", 1);
    let (pooled, decided) = (of_kind(&events, "pooled"), of_kind(&events, "decided"));
    let number = |value: &Value| value.as_f64().expect("a number");
    assert!(number(&decided[0]["e_value"]) >= number(&decided[0]["needed"]), "its blocks win: {decided:?}");
    assert!(number(&pooled[0]["found"]["at_least"]) <= 0.0, "{pooled:?}");
    assert_eq!(decided[0]["promoted"], false, "{decided:?}");
}

/// Where both lose so much that the scale of profit has ended, the other axes decide: whoever certainly loses more money has a veto.
#[test]
fn whoever_loses_more_money_does_not_become_champion() {
    let folder = root().join("tests/hostile/promotion");
    let origin = std::fs::read_to_string(folder.join("trade-away-a-little.rs")).expect("there");
    let events = session(&origin, &[&folder.join("hold-a-side.rs")], "smoke", 1);
    let (pooled, decided) = (of_kind(&events, "pooled"), of_kind(&events, "decided"));
    assert!(pooled[0]["found"]["veto"].as_str().is_some_and(|veto| veto.contains("it loses")), "{pooled:?}");
    assert_eq!(decided[0]["promoted"], false, "{decided:?}");
}
