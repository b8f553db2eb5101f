//! Verdicts in the store: once each, whatever is done again, killed, hidden, locked or broken; and never in the way of the verdict itself.

use super::{DONE, FAILED, INFRASTRUCTURE, Other, USAGE, answer, both, check, make_newer, warnings};
use assay_tests::gate::{POLICY, component, decided, home, json, recorded, strategy, submissions, verdicts};
use assay_tests::{assay, show};
use serde_json::Value;
use std::path::Path;

const REJECTED: i32 = 1;

/// What the store has of the submission with this name.
fn run_of(home: &Path, name: &str) -> Value {
    let listing = answer(home, &["runs", "--kind", "gate", "--limit", "1000"]);
    let mut runs = listing["runs"].as_array().expect("a list").iter();
    let run = runs.find(|run| run["strategy"] == name).unwrap_or_else(|| panic!("{name}: {listing:#}"));
    answer(home, &["show", run["id"].as_str().expect("an id")])
}

#[test]
fn a_verdict_is_there_once_however_often_it_is_given() {
    let home = submissions(4);
    let path = home.path();
    std::fs::write(path.join("subs/unsafe.rs"), strategy("unsafe {}")).expect("written");
    let gate = |more: &[&str], code: i32| check(path, &both(&["gate"], more), code, &[]);
    gate(&["subs", "--out", "out"], REJECTED);
    let all = decided(&path.join("out"));
    assert_eq!(all.len(), 5);
    assert_eq!(recorded(path), all);

    // What was decided, and about what.
    let passed = run_of(path, "s001.wasm");
    let is = ["kind", "status", "verdict", "strategy"].map(|key| passed[key].as_str().unwrap_or_default());
    assert_eq!(is, ["gate", "completed", "pass", "s001.wasm"]);
    let verdict = json(&path.join("out/s001.wasm.json"));
    assert_eq!(passed["strategy_hash"], verdict["submission"]["component_hash"]);
    assert_eq!(passed["iterations"][0]["source_hash"], verdict["submission"]["hash"]);
    assert_eq!(passed["scenarios"][0]["hash"], verdict["trials"][0]["scenario_hash"]);
    assert_eq!(passed["command"], "assay gate subs/s001.wasm --policy gate.toml");
    let pnl = passed["kpis"].as_array().expect("a list").iter().find(|kpi| kpi["measure"] == "pnl");
    assert_eq!(pnl.expect("it ran")["samples"][0][0], 1, "public seeds are told");
    let rejected = run_of(path, "unsafe.rs");
    assert_eq!((rejected["verdict"].as_str(), rejected["status"].as_str()), (Some("rejected"), Some("completed")));
    assert_eq!(rejected["kpis"], serde_json::json!([]));
    check(path, &["export", passed["id"].as_str().expect("an id"), "--to", "copy"], DONE, &[]);
    let copy = std::fs::read(path.join("copy/verdict.json")).expect("exported");
    assert!(copy == verdicts(&path.join("out"))["s001.wasm"], "the file is the one of the folder");
    let summary = json(&path.join("out/summary.json"));
    let line = summary["verdicts"].as_array().expect("a list").iter().find(|line| line["id"] == "s001.wasm");
    assert_eq!(line.expect("it is there")["run"], passed["id"]);

    // Gone on with, done again elsewhere, on one thread: the same verdicts.
    gate(&["subs", "--out", "out"], REJECTED);
    gate(&["subs", "--out", "again", "--jobs", "1"], REJECTED);
    assert_eq!(recorded(path), all);
    assert_eq!(run_of(path, "s001.wasm")["created_ms"], passed["created_ms"]);
    // One by itself has its own name.
    for _ in 0..2 {
        gate(&["subs/s001.wasm"], DONE);
        assert_eq!(recorded(path).len(), 6);
    }

    // A store that lacks them gets those that are kept; what was measured is not known any more, until they are given again.
    let elsewhere = ["--store", "elsewhere.db", "--artifacts", "elsewhere"];
    let measures = || {
        let listing = answer(path, &both(&["runs"], &elsewhere));
        let runs = listing["runs"].as_array().expect("a list").iter();
        runs.map(|run| usize::from(!run["pnl"].is_null())).collect::<Vec<_>>()
    };
    gate(&both(&["subs", "--out", "out"], &elsewhere), REJECTED);
    assert_eq!(measures(), [0; 5]);
    gate(&both(&["subs", "--out", "third"], &elsewhere), REJECTED);
    assert_eq!((measures().len(), measures().iter().sum::<usize>()), (5, 4));
}

#[test]
fn no_store_means_none() {
    let home = submissions(1);
    check(home.path(), &["gate", "subs", "--no-store"], DONE, &["1 pass"]);
    assert!(json(&home.path().join("verdicts/summary.json"))["verdicts"][0]["run"].is_null());
    assert!(!home.path().join(".assay").exists());
    // The variable of the store is none of those flags that go with no subcommand.
    let mut init = assay(home.path());
    init.args(["gate", "init", "new.toml"]).env("ASSAY_STORE", "store.db").env("ASSAY_ARTIFACTS", "files");
    let output = init.output().expect("assay starts");
    assert!(output.status.success() && !home.path().join("store.db").exists(), "{}", show(&output));
}

#[test]
fn hidden_seeds_never_reach_the_store() {
    let policy = "name = \"p\"\nsecret = { env = \"GATE_SECRET\" }\n[[scenarios]]\nscenario = \"smoke\"\npublic = 2\nhidden = { env = \"GATE_SEEDS\" }\n";
    let home = home(policy);
    let work = "exchange.market(Side::Buy, Quantity::of(1));";
    std::fs::write(home.path().join("s.wasm"), component(home.path(), work)).expect("written");
    let hidden = ["7446744073709551", "8446744073709552", "9446744073709553"];
    let run = |arguments: &[&str]| {
        let mut command = assay(home.path());
        command.args(["gate", "s.wasm"]).args(arguments);
        command.env("GATE_SECRET", "correct horse battery staple").env("GATE_SEEDS", hidden.join(" "));
        let output = command.output().expect("assay starts");
        assert_eq!(output.status.code(), Some(DONE), "{}", show(&output));
        answer(home.path(), &["show", "latest"])
    };
    let judged = run(&[]);
    let kpis = judged["kpis"].as_array().expect("a list");
    let names: Vec<&str> = kpis.iter().filter_map(|kpi| kpi["measure"].as_str()).collect();
    assert!(names.contains(&"pnl") && names.contains(&"orders"), "{names:?}");
    assert!(kpis.iter().all(|kpi| kpi["n"] == 3 && kpi["samples"] == serde_json::json!([])), "{kpis:?}");
    // Its author's feedback is about other seeds, so it is another verdict, and tells them.
    let told = run(&["--feedback"]);
    assert_ne!(judged["id"], told["id"]);
    assert!(told["command"].as_str().is_some_and(|command| command.ends_with("--feedback")));
    assert_eq!(told["kpis"][0]["samples"].as_array().map(Vec::len), Some(2));

    let mut files = vec![home.path().join(".assay")];
    let mut bytes = Vec::new();
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else {
            bytes.extend(std::fs::read(path).expect("a file"));
        }
    }
    let holds = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    assert!(holds("verdict.json") && holds("commitment"));
    assert!(!holds("horse") && hidden.iter().all(|seed| !holds(seed)));
}

/// A batch while somebody else holds the store for the whole time: verdicts, exit code and time are as always, with one warning.
fn locked(statements: &[&'static str]) {
    let home = submissions(12);
    let path = home.path();
    check(path, &["gate", "subs/s000.wasm"], DONE, &[]);
    let mut other = Other::at(&path.join(".assay/store.db"));
    statements.iter().for_each(|statement| other.say(statement));
    let batch = ["gate", "subs", "--out", "out", "--jobs", "3"];
    let words = ["12 submissions: 6 pass, 6 fail", "not recorded", "is locked by another process", "--no-store"];
    let output = check(path, &batch, FAILED, &words);
    assert_eq!(warnings(&output), 1, "{}", show(&output));
    assert_eq!(decided(&path.join("out")).len(), 12);
    assert_eq!(json(&path.join("out/summary.json"))["complete"], true);
    other.close();
    assert_eq!(recorded(path).len(), 1, "nothing was written behind the lock");
    // Nothing is lost: what the store did not take, the next start brings, once.
    let output = check(path, &batch, FAILED, &["12 verdicts from an earlier run"]);
    assert_eq!(warnings(&output), 0, "{}", show(&output));
    let mut all = decided(&path.join("out"));
    all.insert("subs/s000.wasm".to_owned(), "pass".to_owned());
    assert_eq!(recorded(path), all);
}

#[test]
fn a_store_that_cannot_be_written_for_a_lock_costs_one_warning() {
    locked(&["BEGIN EXCLUSIVE", "UPDATE runs SET tool = 'other'"]);
}

#[test]
fn a_store_that_cannot_even_be_read_for_a_lock_costs_one_warning() {
    locked(&["PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"]);
}

#[test]
fn a_broken_store_costs_one_warning() {
    let home = submissions(2);
    let path = home.path();
    std::fs::write(path.join("damaged.db"), "somebody's only copy of something".repeat(100)).expect("written");
    std::fs::write(path.join("file"), "").expect("written");
    check(path, &["gate", "subs/s000.wasm", "--store", "newer.db"], DONE, &[]);
    make_newer(&path.join("newer.db"));
    for (store, artifacts, word) in [
        ("damaged.db", "files", "is damaged, or is not a store"),
        ("newer.db", "files", "schema version 99"),
        ("/proc/assay/store.db", "files", "cannot be written"),
        ("file/store.db", "files", "cannot be written"),
        ("good.db", "file/files", "the artifacts in file/files failed"),
    ] {
        for submissions in ["subs/s000.wasm", "subs"] {
            let out = if submissions == "subs" { &["--out", "out"][..] } else { &[] };
            let command = ["gate", submissions, "--store", store, "--artifacts", artifacts];
            let output = check(path, &both(&command, out), DONE, &["not recorded", word, "hint", "--no-store"]);
            assert_eq!(warnings(&output), 1, "{}", show(&output));
        }
        assert_eq!(verdicts(&path.join("out")).len(), 2);
        std::fs::remove_dir_all(path.join("out")).expect("it is there");
    }
    let kept = std::fs::read_to_string(path.join("damaged.db")).expect("it is there");
    assert!(kept.starts_with("somebody's only copy"), "it is left as it is");
    // A store that cannot be meant is a mistake, named before anything begins.
    check(
        path,
        &["gate", "subs", "--store", "mysql://host/db"],
        USAGE,
        &["`mysql://` is not a supported kind of store", "hint"],
    );
    assert!(!path.join("verdicts").exists());
}

#[test]
fn no_verdict_is_replaced_by_none() {
    let home = home(POLICY);
    std::fs::write(home.path().join("s.rs"), strategy("")).expect("written");
    let gate = |compiler: bool, code: i32| {
        let mut command = assay(home.path());
        command.args(["gate", "s.rs"]);
        if !compiler {
            command.env("PATH", "/nonexistent");
        }
        let output = command.output().expect("assay starts");
        assert_eq!(output.status.code(), Some(code), "{}", show(&output));
        assert_eq!(recorded(home.path()).len(), 1);
        let run = run_of(home.path(), "s.rs");
        ["verdict", "status", "error"].map(|key| run[key].as_str().unwrap_or_default().to_owned())
    };
    let [verdict, status, error] = gate(false, INFRASTRUCTURE);
    assert_eq!([verdict.as_str(), status.as_str()], ["unscored", "failed"]);
    assert!(error.starts_with("No verdict: ") && error.contains("says nothing about the submission"), "{error}");
    for compiler in [true, false] {
        let code = if compiler { DONE } else { INFRASTRUCTURE };
        assert_eq!(gate(compiler, code), ["pass", "completed", ""]);
    }
}
