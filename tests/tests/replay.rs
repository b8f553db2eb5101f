//! A recorded market from the command line: the example from the documents, packed files, and files that cannot be used.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use assay_tests::{assay, root, show};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write as _;
use std::path::Path;

const USAGE: i32 = 2;
const STRATEGY: &str = include_str!("../../guest-sdk/template/strategy.rs");

/// Copies the example into `folder`.
fn example(folder: &Path) {
    for name in ["replay.toml", "messages.csv", "orderbook.csv"] {
        fs::copy(root().join("examples/replay").join(name), folder.join(name)).unwrap();
    }
    fs::write(folder.join("s.rs"), STRATEGY).unwrap();
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

fn edit(folder: &Path, name: &str, from: &str, to: &str) {
    let text = read(folder, name);
    assert!(text.contains(from), "{name} has {from:?}");
    fs::write(folder.join(name), text.replacen(from, to, 1)).unwrap();
}

fn pack(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

/// Runs `assay` in a copy of the example that `prepare` has changed; expects the exit code and every one of `words` in what it prints.
fn check(prepare: impl FnOnce(&Path), arguments: &[&str], exit: i32, words: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    example(folder.path());
    prepare(folder.path());
    let output = assay(folder.path()).args(arguments).output().unwrap();
    let printed = show(&output);
    assert_eq!(output.status.code(), Some(exit), "assay {arguments:?}\n{printed}");
    for word in words {
        assert!(printed.contains(word), "assay {arguments:?} must say {word:?}\n{printed}");
    }
    assert!(!printed.contains("panicked at"), "assay {arguments:?} must not panic\n{printed}");
    folder
}

const RUN: [&str; 6] = ["run", "s.rs", "--scenario", "replay.toml", "--seeds", "2"];
const SHOW: [&str; 3] = ["scenarios", "show", "replay.toml"];

#[test]
fn the_example_runs_and_the_report_says_what_it_is() {
    let folder = check(|_| {}, &RUN, 0, &["the same for every seed"]);
    let record: serde_json::Value = serde_json::from_str(&read(folder.path(), "report/run.json")).unwrap();
    let recording = &record["scenario"]["recording"];
    assert_eq!(recording["hash"].as_str().map(str::len), Some(64));
    assert!(recording["findings"]["executed"].as_u64() > Some(0));
    for episode in record["episodes"].as_array().unwrap() {
        let (with, without) = (&episode["replay"]["strategy"], &episode["replay"]["baseline"]);
        assert_eq!(with["requests"], without["requests"], "the whole recording is sent, whatever the strategy does");
        assert_eq!((&without["unfilled"], &without["late"]), (&0.into(), &0.into()), "without it, all happens again");
    }
    let baseline = |index: usize| &record["episodes"][index]["baseline_event_log_hash"];
    assert_eq!(baseline(0), baseline(1), "seeds do not change the background");
    let page = read(folder.path(), "report/index.html");
    for words in ["id=\"replay\"", "Nobody reacts.", "Recorded takers unfilled", "Seeds do not change the background."]
    {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn packed_files_are_the_same_recording() {
    let hash = |folder: &Path| {
        let output = assay(folder).args(SHOW).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", show(&output));
        let printed = String::from_utf8(output.stderr).unwrap();
        printed.split("BLAKE3 ").nth(1).unwrap().trim().split('\n').next().unwrap().to_owned()
    };
    let plain = check(|_| {}, &SHOW, 0, &["Recording", "executed", "format = \"lobster\""]);
    let packed = check(
        |folder| {
            for name in ["messages.csv", "orderbook.csv"] {
                // The first bytes say that it is packed, not the name.
                fs::write(folder.join(name), pack(&read(folder, name))).unwrap();
            }
        },
        &SHOW,
        0,
        &["Recording"],
    );
    assert_eq!(hash(plain.path()), hash(packed.path()));
}

#[test]
fn files_that_cannot_be_used_are_refused_with_the_place() {
    let cut = |folder: &Path| {
        let mut bytes = pack(&read(folder, "messages.csv"));
        bytes.truncate(bytes.len() / 2);
        fs::write(folder.join("messages.csv"), bytes).unwrap();
    };
    check(cut, &SHOW, USAGE, &["messages.csv", "could not be read", "gunzip --test"]);
    let noise = |folder: &Path| fs::write(folder.join("orderbook.csv"), b"\x1f\x8b and then something else").unwrap();
    check(noise, &SHOW, USAGE, &["orderbook.csv", "could not be read", "hint"]);
    // Hundreds of megabytes without a line end, in a file of some hundred kilobytes.
    let bomb = |folder: &Path| fs::write(folder.join("messages.csv"), pack(&"1".repeat(300_000_000))).unwrap();
    check(bomb, &SHOW, USAGE, &["messages.csv", "row 1", "at most 65536 bytes"]);
    check(
        |folder| fs::remove_file(folder.join("messages.csv")).unwrap(),
        &RUN,
        USAGE,
        &["messages.csv", "relative to its own file"],
    );
    check(|folder| edit(folder, "replay.toml", "\"messages.csv\"", "\".\""), &RUN, USAGE, &["not a regular file"]);
    check(
        |folder| edit(folder, "messages.csv", ",4,", ",9,"),
        &RUN,
        USAGE,
        &["messages.csv", "row", "column `type`", "`9`"],
    );
    let backwards = |folder: &Path| {
        let text = read(folder, "messages.csv");
        let lines = text.lines().enumerate().map(|(index, line)| match line.split_once(',') {
            Some((_, rest)) if index == 9 => format!("34199.5,{rest}\n"),
            _ => format!("{line}\n"),
        });
        fs::write(folder.join("messages.csv"), lines.collect::<String>()).unwrap();
    };
    check(backwards, &RUN, USAGE, &["messages.csv", "row 10", "column `time`", "34199.500000000", "not before"]);
    let dropped = |folder: &Path| {
        let text = read(folder, "orderbook.csv");
        fs::write(folder.join("orderbook.csv"), text.lines().skip(1).collect::<Vec<_>>().join("\n")).unwrap();
    };
    check(dropped, &RUN, USAGE, &["orderbook.csv", "row"]);
    check(
        |folder| edit(folder, "replay.toml", "tick_cents = 1", "tick_cents = 0"),
        &RUN,
        USAGE,
        &["tick_cents", "1 to 1000"],
    );
    check(|folder| edit(folder, "replay.toml", "[replay]", "[repaly]"), &RUN, USAGE, &["did you mean `replay`"]);
    check(
        |folder| edit(folder, "replay.toml", "09:30:00\nclose = 09:35:00", "11:30:00\nclose = 09:35:00"),
        &RUN,
        USAGE,
        &["closes at 09:35:00"],
    );
}

#[test]
fn a_recorded_market_can_be_judged() {
    let long = |folder: &Path| edit(folder, "replay.toml", "close = 09:35:00", "close = 11:31:00");
    check(
        long,
        &["scenarios", "validate", "replay.toml", "--seeds", "2"],
        0,
        &["replay-example", "the same for every seed"],
    );
    check(|_| {}, &["scenarios", "validate", "replay.toml"], USAGE, &["too short"]);
}

#[test]
fn a_fundamental_series_is_found_beside_the_scenario() {
    let with_series = |series: &'static str| {
        move |folder: &Path| {
            let smoke = assay(folder).args(["scenarios", "show", "smoke"]).output().unwrap().stdout;
            let smoke = String::from_utf8(smoke).unwrap();
            let (before, rest) = smoke.split_once("[fundamental]").unwrap();
            // Up to the next table, whichever that is.
            let after = &rest[rest.find("\n[").unwrap()..];
            let text = format!("{before}[fundamental]\nseries = \"data/value.csv\"\n{after}");
            fs::create_dir_all(folder.join("mine/data")).unwrap();
            fs::write(folder.join("mine/market.toml"), text).unwrap();
            fs::write(folder.join("mine/data/value.csv"), series).unwrap();
        }
    };
    let show = ["scenarios", "show", "mine/market.toml"];
    check(with_series("time,value\n34200,10000\n34320,9900\n"), &show, 0, &["Series"]);
    check(with_series("34200,10000\n34210,-1\n"), &show, USAGE, &["data/value.csv", "row 2", "column `value`", "`-1`"]);
    check(with_series("34200,10000\n"), &show, USAGE, &["at or after the close", "hint"]);
}
