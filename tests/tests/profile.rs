//! `assay run --profile`: where the fuel goes, to the unit, the same each time, and nothing of it in the scores.

use assay_tests::{assay, root, show};
use serde_json::Value;
use std::path::Path;

/// Runs an example and gives back its record without the time it took, its flame graph if there is one, and what the screen said.
fn run(folder: &Path, out: &str, more: &[&str]) -> (Value, Option<String>, String) {
    let strategy = root().join("examples/strategies/market_maker.rs");
    let output = assay(folder)
        .arg("run")
        .arg(&strategy)
        .args(["--scenario", "smoke", "--seeds", "2", "--out", out])
        .args(more)
        .output()
        .expect("assay starts");
    assert_eq!(output.status.code(), Some(0), "{}", show(&output));
    let text = std::fs::read_to_string(folder.join(out).join("run.json")).expect("the run left a record");
    let mut record: Value = serde_json::from_str(&text).expect("run.json is JSON");
    for field in ["timing", "command"] {
        record.as_object_mut().expect("an object").remove(field).expect("a named field");
    }
    let drawing = std::fs::read_to_string(folder.join(out).join("profile.svg")).ok();
    let screen = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("assay prints UTF-8"));
    (record, drawing, screen.concat())
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a whole number")
}

#[test]
fn a_profile_adds_up_and_changes_no_score() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (plain, no_drawing, _) = run(folder.path(), "plain", &[]);
    let (mut profiled, drawing, screen) = run(folder.path(), "profiled", &["--profile"]);
    let (again, drawing_again, _) = run(folder.path(), "again", &["--profile"]);
    assert_eq!(profiled, again);
    assert_eq!(drawing, drawing_again);
    assert_eq!(no_drawing, None);

    let profile = profiled.as_object_mut().expect("an object").remove("profile").expect("a profile");
    assert_eq!(profiled, plain, "a profile changes nothing else");

    let episode = &plain["episodes"][0];
    let kinds = ["initialize", "on_tick", "on_market_data", "on_order_update", "on_simulation_end"];
    let scored: u64 = kinds.iter().map(|kind| number(&episode["usage"][*kind]["fuel"])).sum();
    assert_eq!((number(&profile["seed"]), number(&profile["fuel"])), (number(&episode["seed"]), scored));
    assert!(!screen.contains("warning"), "{screen}");

    let functions = profile["functions"].as_array().expect("a list");
    let own: u64 = functions.iter().map(|function| number(&function["fuel_self"])).sum();
    assert!(number(&profile["functions_omitted"]) > 0 || own == scored, "{own} of {scored}");
    // Names are Rust's, without the compiler's hashes; host calls bear the interface's.
    let names: Vec<&str> = functions.iter().filter_map(|function| function["name"].as_str()).collect();
    for part in ["assay_sdk::", "exchange.", "on-market-data"] {
        assert!(names.iter().any(|name| name.contains(part)), "nothing with {part} in {names:#?}");
    }
    assert!(!names.iter().any(|name| name.contains("17h") || name.starts_with("_ZN") || name.starts_with("_R")));
    let drawing = drawing.expect("a drawing");
    assert!(drawing.starts_with("<svg xmlns") && drawing.contains("market_maker.rs") && !drawing.contains("<script"));
    let page = std::fs::read_to_string(folder.path().join("profiled/index.html")).expect("a page");
    assert!(page.contains("Fuel by function in seed 1"));
}
