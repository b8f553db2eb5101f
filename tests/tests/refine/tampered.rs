//! Logs that somebody else has changed: nobody works by numbers that no session has, and no file that a log names is told.

use super::{USAGE, home, refine};
use assay_tests::show;
use serde_json::{Value, json};
use std::path::Path;

/// A session that has only begun, in a folder with its markets.
fn begun(home: &Path) -> Value {
    let words =
        ["--from", "maker.rs", "--scenario", "kind.toml", "--family", "none", "--generations", "1", "--width", "1"];
    refine(home, &words, 0);
    let text = std::fs::read_to_string(home.join("refine/maker-1/log.jsonl")).expect("there is a log");
    serde_json::from_str(text.lines().next().expect("it begins")).expect("an event")
}

/// Its log with another value in the plan.
fn tampered(home: &Path, began: &Value, pointer: &str, value: &Value) -> String {
    let mut began = began.clone();
    *began.pointer_mut(&format!("/body/plan{pointer}")).expect("it is there") = value.clone();
    let log = format!("{began}\n");
    std::fs::write(home.join("refine/maker-1/log.jsonl"), &log).expect("written");
    log
}

#[test]
fn nobody_works_by_numbers_that_no_session_has() {
    let home = home();
    let home = home.path();
    let began = begun(home);
    for (pointer, value, said) in [
        ("/rules/rungs", json!([u32::MAX]), "4294967295 for rules.rungs[]; it can have 1 to"),
        ("/rules/probe_seeds", json!(u32::MAX), "4294967295 for rules.probe_seeds; it can have 1 to"),
        ("/rules/block_seeds", json!(u32::MAX), "4294967295 for rules.block_seeds; it can have 1 to"),
        ("/rules/width", json!(4_000_000_000_u32), "4000000000 for rules.width; it can have 1 to 256"),
        ("/rules/width", json!(0), "0 for rules.width; it can have 1 to 256"),
        ("/rules/generations", json!(u32::MAX), "4294967295 for rules.generations; it can have 1 to 1000"),
        ("/rules/batch_blocks", json!(u32::MAX), "4294967295 for rules.batch_blocks; it can have 1 to"),
        ("/rules/pooled_blocks", json!(u32::MAX), "4294967295 for rules.pooled_blocks; it can have 0 to"),
        ("/strategy", json!(format!("{}.rs", "x".repeat(9_000))), "9003 for strategy, bytes"),
    ] {
        let log = tampered(home, &began, pointer, &value);
        for words in [
            &["resume", "maker-1"][..],
            &["fork", "maker-1@1"][..],
            &["hint", "maker-1", "wider"][..],
            &["export", "maker-1", "--out", "best.rs"][..],
        ] {
            let text = show(&refine(home, words, USAGE));
            assert!(text.contains(said), "{words:?}\n{text}");
        }
        assert!(show(&refine(home, &["show", "maker-1"], 0)).contains("Markets: kind.toml"), "{pointer}");
        assert!(show(&refine(home, &["status", "--json"], 0)).contains("interrupted"), "{pointer}");
        let now = std::fs::read_to_string(home.join("refine/maker-1/log.jsonl")).expect("there is a log");
        assert!(now == log && !home.join("best.rs").exists(), "{pointer}: nothing is lost and nothing is written");
    }
}

#[test]
fn a_file_that_is_not_the_market_is_not_told() {
    let home = home();
    let home = home.path();
    let began = begun(home);
    std::fs::write(home.join("secret.toml"), "token = \"s3cret\"\n").expect("written");
    std::fs::write(home.join("named.toml"), "base = \"smoke\"\nname = \"s3cret\"\n").expect("written");
    std::fs::write(home.join("text"), "s3cret s3cret\n").expect("written");
    let names =
        ["secret.toml", "named.toml", "./text", "slow.toml", "none.toml", "/dev/zero", "/etc/passwd", "calm", "clam"];
    for name in names {
        tampered(home, &began, "/markets/0/name", &json!(name));
        let text = show(&refine(home, &["resume", "maker-1"], USAGE));
        let said = format!("the market {name} is missing, or has changed since the session began");
        assert!(text.contains(&said), "{name}\n{text}");
        for word in ["s3cret", "token", "root:", "did you mean"] {
            assert!(!text.contains(word), "{name}: {word}\n{text}");
        }
    }
}
