//! The corpus of attacks, carried out by `assay doctor` on the binary under test and looked at from outside; and the doctor itself, which must not
//! say that all is well when it is not.

use assay_tests::{assay, root, show};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// The corpus is at least this large.
const ATTACKS_MIN: usize = 520;

fn doctor(folder: &Path, args: &[&str]) -> Output {
    let mut command = assay(folder);
    command.arg("doctor").args(args).output().expect("assay starts")
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{}", show(output)))
}

/// The attacks of a report, as (id, class, what did not hold).
fn attacks(report: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let attacks = report["attacks"].as_array().expect("a list");
    attacks.iter().map(|attack| (text(&attack["id"]), text(&attack["class"]), attack["faults"].to_string())).collect()
}

#[test]
fn the_whole_corpus_is_held() {
    let corpus = root().join("tests/hostile");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = doctor(folder.path(), &["--corpus", &corpus.to_string_lossy(), "--skip", "containers", "--json"]);
    let report = report(&output);
    let attacks = attacks(&report);
    let fallen: Vec<String> = report["attacks"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|attack| attack["held"] != true)
        .map(|attack| {
            format!(
                "{:5} {:44} {:>6.1} s of {:>3} {:>5} MB of {:>5}  {}\n      {}",
                attack["class"].as_str().unwrap_or_default(),
                attack["id"].as_str().unwrap_or_default(),
                attack["seconds"].as_f64().unwrap_or_default(),
                attack["seconds_max"],
                attack["megabytes"],
                attack["megabytes_max"],
                attack["faults"],
                attack["detail"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    assert!(fallen.is_empty(), "{} of {} attacks:\n{}", fallen.len(), attacks.len(), fallen.join("\n"));
    assert_eq!(output.status.code(), Some(0), "{}", show(&output));
    assert_eq!(report["not_run"], 0, "the Python guest is missing: run make setup-python-guest");
    assert!(attacks.len() >= ATTACKS_MIN, "only {} attacks", attacks.len());
    for class in ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"] {
        assert!(attacks.iter().any(|(_, of, _)| of == class), "no attack of class {class}");
    }
}

/// A corpus in a folder: tables by name, and files in `any`.
fn corpus(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("any")).expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn run(files: &[(&str, &str)], more: &[&str]) -> Output {
    let corpus = corpus(files);
    let mut args = vec!["--corpus", ".", "--skip", "containers,python"];
    args.extend(more);
    doctor(corpus.path(), &args)
}

/// One row of a table.
fn row(id: &str, rest: &str) -> String {
    format!("[[attack]]\nid = \"{id}\"\ntries = \"to be noticed\"\n{rest}\n")
}

#[test]
fn a_limit_that_does_not_hold_is_noticed() {
    let garbage = "by.check.hex = \"deadbeef 00010203\"\n";
    let endless = "by.play.guest.tick = \"(loop $l (br $l))\"\nby.play.budget = { callback = 1000000000000, episode = 1000000000000 }\n";
    let cases = [
        ("held", format!("{garbage}expect = \"C002\"\nseconds = 60\nmegabytes = 500\n"), ""),
        (
            "other-code",
            format!("{garbage}expect = \"C001\"\nseconds = 60\nmegabytes = 500\n"),
            "expected C001, saw C002",
        ),
        ("too-large", format!("{garbage}expect = \"C002\"\nseconds = 60\nmegabytes = 1\n"), "MB, 1 are allowed"),
        (
            "too-slow",
            format!("{endless}expect = \"out_of_fuel*\"\nseconds = 3\nmegabytes = 500\n"),
            "it took more than 3 s",
        ),
    ];
    let table: String = cases.iter().map(|(id, rest, _)| row(id, rest)).collect();
    let output = run(&[("a.toml", &table)], &["--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", show(&output));
    let attacks = attacks(&report(&output));
    for ((id, _, fault), (found, _, faults)) in cases.iter().zip(&attacks) {
        assert_eq!(id, found);
        if fault.is_empty() {
            assert_eq!(faults, "[]", "{id}");
        } else {
            assert!(faults.contains(fault), "{id}: {faults}");
        }
    }
    // For a person: a table, what did not hold, and why.
    let output = run(&[("a.toml", &table)], &["--only", "held,other-code"]);
    let shown = show(&output);
    for words in
        ["class", "attack", "expected", "not held other-code", "expected C001, saw C002", "1 of 2 attacks held"]
    {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
}

#[test]
fn whatever_is_dropped_into_any_is_carried_out() {
    let files = [
        ("any/nothing.rs", ""),
        ("any/no-rust.rs", "fn main( { \u{202e}"),
        ("any/nothing.wasm", ""),
        ("any/garbage.wasm", "\0asm\u{d}garbage"),
        (
            "any/loop.rs",
            "use assay_sdk::*; struct S; impl Strategy for S { fn initialize(_: &Config, _: &mut Exchange) -> Self { loop {} } } export!(S);",
        ),
        ("any/no-ending", "x"),
    ];
    let output = run(&files, &["--json"]);
    let attacks = attacks(&report(&output));
    assert_eq!(attacks.len(), files.len(), "{}", show(&output));
    assert_eq!(output.status.code(), Some(0), "{}", show(&output));
}

#[test]
fn mistakes_in_a_corpus_are_said() {
    let honest = row("once", "by.check.hex = \"00\"\nexpect = \"C002\"\nseconds = 60\nmegabytes = 500\n");
    let cases = [
        (format!("{honest}{honest}"), "two attacks are called once"),
        (row("x", "by.check.hex = \"00\"\nexpect = \"C002\"\nseconds = 60\n"), "megabytes"),
        (row("x", "by.magic = 1\nexpect = \"C002\"\nseconds = 60\nmegabytes = 1\n"), "magic"),
        ("files = [\"source/nowhere\"]\nattack = []".to_owned(), "source/nowhere is in a table and not in its folder"),
        ("attack = []".to_owned(), "no attack matches --only"),
    ];
    for (table, words) in cases {
        let output = run(&[("a.toml", &table)], &[]);
        assert_eq!(output.status.code(), Some(2), "{}", show(&output));
        assert!(show(&output).contains(words), "{words}:\n{}", show(&output));
    }
}

#[test]
fn what_is_missing_is_said_with_what_mends_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = |variable: &str, value: &str, skip: &str, words: [&str; 2]| {
        let mut command = assay(folder.path());
        command.env(variable, value).args(["doctor", "--only", "garbage", "--skip", skip]);
        let output = command.output().expect("assay starts");
        assert_eq!(output.status.code(), Some(4), "{}", show(&output));
        for words in words {
            assert!(show(&output).contains(words), "{words}:\n{}", show(&output));
        }
    };
    missing("ASSAY_PYTHON_COMPONENT", "/nowhere", "containers", ["Python guest", "make setup-python-guest"]);
    missing("DOCKER_HOST", "unix:///nowhere", "python", ["container engine", "make setup-docker"]);
    missing("PATH", "/nowhere", "python,containers", ["Rust compiler", "rustup.rs"]);
}
