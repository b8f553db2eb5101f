//! Rows of a batch of verdicts count as far as the verdicts beside its summary prove them.

use crate::api::json_of;
use crate::fixture::Server;
use assay_gate::LOCK_NAME;
use assay_gate::verdict::SCHEMA_VERSION;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::Path;

/// What somebody does to the second row, to its verdict, and then to the folder.
type Change = (fn(&mut Value), fn(&mut Value), fn(&Path));

/// A name, the change, what is said of the second row then, what its verdict proves, and the count of decisions.
type Case = (&'static str, Change, Option<&'static str>, Option<&'static str>, &'static str);

const KEPT: fn(&mut Value) = |_| {};
const STAYS: fn(&Path) = |_| {};

const CASES: &[Case] = &[
    ("nothing", (KEPT, KEPT, STAYS), None, Some("fail"), "1 pass, 1 fail"),
    (
        "a decision",
        (|row| row["decision"] = json!("pass"), KEPT, STAYS),
        Some("summary.json says pass, and b.rs.json says fail"),
        Some("fail"),
        "1 pass, 1 fail",
    ),
    (
        "the name of a submission",
        (|row| row["name"] = json!("c.rs"), KEPT, STAYS),
        Some("b.rs.json is about b.rs"),
        None,
        "1 pass",
    ),
    (
        "a hash",
        (|row| row["hash"] = json!("cd"), KEPT, STAYS),
        Some("b.rs.json is about a submission with another hash"),
        None,
        "1 pass",
    ),
    (
        "the verdict",
        (|row| row["decision"] = json!("pass"), |verdict| verdict["decision"] = json!("pass"), STAYS),
        Some("the decision in b.rs.json does not follow"),
        None,
        "1 pass",
    ),
    (
        "a verdict that is gone",
        (KEPT, KEPT, |batch| fs::remove_file(batch.join("b.rs.json")).expect("removed")),
        Some("b.rs.json is missing"),
        None,
        "1 pass",
    ),
    (
        "a damaged verdict",
        (KEPT, KEPT, |batch| fs::write(batch.join("b.rs.json"), "{").expect("written")),
        Some("b.rs.json cannot be read"),
        None,
        "1 pass",
    ),
];

/// The verdict about a submission that ran.
fn verdict(name: &str, decision: &str) -> Value {
    json!({
        "schema": {"name": "assay.verdict", "version": SCHEMA_VERSION}, "decision": decision, "summary": format!("{name} has run"),
        "submission": {"name": name, "kind": "rust_file", "hash": "ab", "component_hash": null, "sdk_version": null, "sdk_hash": null, "rustc_version": null},
        "policy": {"name": "gate", "hash": "0"}, "tool": {"assay": "0.1.0", "wasmtime": "48.0.8"},
        "checks": [{"rule": "outcome", "policy_line": 1, "scenario": "calm", "measure": null, "asks": "finished", "saw": "so it did", "decision": decision}],
        "findings": [], "findings_omitted": 0,
        "trials": [{"scenario": "calm", "scenario_hash": "0", "seeds": {"kind": "public", "seeds": [1, 2]}, "record_hash": "0"}],
    })
}

fn batch(folder: &Path, (of_row, of_verdict, of_folder): Change) {
    fs::create_dir_all(folder).expect("made");
    let mut rows = Vec::new();
    for (name, decision) in [("a.rs", "pass"), ("b.rs", "fail")] {
        let mut verdict = verdict(name, decision);
        let mut row =
            json!({"id": name, "name": name, "hash": "ab", "decision": decision, "summary": "as it was told"});
        if name == "b.rs" {
            of_row(&mut row);
            of_verdict(&mut verdict);
        }
        fs::write(folder.join(format!("{name}.json")), verdict.to_string()).expect("written");
        rows.push(row);
    }
    let summary = json!({"schema": {"name": "assay.verdicts", "version": "1.1"}, "verdicts": rows});
    fs::write(folder.join("summary.json"), summary.to_string()).expect("written");
    of_folder(folder);
}

/// The page of the only batch.
fn page_of(server: &Server) -> String {
    let told = json_of(server, "/api/folders?what=batch");
    told["folders"][0]["page"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned()
}

#[test]
fn a_row_counts_as_its_verdict_says() {
    for (name, change, doubt, proven, tally) in CASES {
        let folder = tempfile::tempdir().expect("a folder");
        batch(&folder.path().join("batch"), *change);
        let server = Server::start(&[folder.path()]);
        let path = page_of(&server);
        let page = server.get(&path).body;
        assert!(page.contains(&format!("Decisions that verdicts prove: {tally}.")), "{name}: {tally}\n{page}");
        assert_eq!(page.contains("1 row is not backed"), doubt.is_some(), "{name}\n{page}");
        let listed = server.get("/gate").body;
        assert_eq!(listed.contains("1 of 2 rows is not backed"), doubt.is_some(), "{name}\n{listed}");
        assert!(!listed.contains("Not every batch was compared"), "{name}\n{listed}");
        let told = json_of(&server, &format!("/api{path}"));
        let rows = told["verdicts"].as_array().expect("rows");
        assert_eq!((&rows[0]["proven"], &rows[0]["doubt"]), (&json!("pass"), &Value::Null), "{name}\n{told}");
        assert_eq!(rows[1]["proven"].as_str(), *proven, "{name}\n{told}");
        match (doubt, rows[1]["doubt"].as_str()) {
            (None, None) => {}
            (Some(words), Some(why)) => {
                assert!(why.contains(words) && page.contains(words), "{name}: {words}\n{why}\n{page}");
            }
            (doubt, found) => panic!("{name}: {doubt:?}, {found:?}"),
        }
    }
}

#[test]
fn a_verdict_that_the_summary_does_not_list_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("batch");
    batch(&path, (KEPT, KEPT, STAYS));
    fs::write(path.join("c.rs.json"), verdict("c.rs", "fail").to_string()).expect("written");
    fs::write(path.join("c.rs.dsse.json"), "{}").expect("written");
    fs::write(path.join("other.json"), "{}").expect("written");
    let server = Server::start(&[folder.path()]);
    let address = page_of(&server);
    let page = server.get(&address).body;
    assert!(page.contains("1 verdict in this folder is not in"), "{page}");
    assert!(page.contains("Decisions that verdicts prove: 1 pass, 1 fail."), "{page}");
    let told = json_of(&server, &format!("/api{address}"));
    let id = address.trim_start_matches("/gate/");
    assert_eq!(told["unlisted"], json!([format!("{id}.c.rs")]), "{told}");
    assert_eq!(server.get(&format!("{address}.c.rs")).status, 200);
}

#[test]
fn nothing_is_doubted_while_a_batch_is_being_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("batch");
    batch(&path, (|row| row["decision"] = json!("pass"), KEPT, STAYS));
    fs::write(path.join("c.rs.json"), verdict("c.rs", "fail").to_string()).expect("written");
    let lock = File::create(path.join(LOCK_NAME)).expect("made");
    let server = Server::start(&[folder.path()]);
    let address = page_of(&server);
    for is_judged in [false, true, false] {
        if is_judged {
            lock.lock().expect("locked");
        } else {
            lock.unlock().expect("let go");
        }
        let (page, listed) = (server.get(&address).body, server.get("/gate").body);
        assert_eq!(page.contains("This batch is being judged"), is_judged, "{page}");
        assert_eq!(page.contains("1 row is not backed"), !is_judged, "{page}");
        assert_eq!(page.contains("1 verdict in this folder is not in"), !is_judged, "{page}");
        assert_eq!(listed.contains("is not backed"), !is_judged, "{listed}");
        let told = json_of(&server, &format!("/api{address}"));
        assert_eq!(told["is_being_judged"], is_judged, "{told}");
        assert_eq!(told["verdicts"][1]["doubt"].is_null(), is_judged, "{told}");
        assert_eq!(told["unlisted"].as_array().is_none_or(Vec::is_empty), is_judged, "{told}");
    }
}

#[test]
fn a_list_says_which_batches_it_has_not_compared() {
    // More rows than verdicts are read, and more bytes than summaries may have together.
    let long = "x".repeat(17 << 20);
    for (rows, why) in [(501, "as it was told"), (1, long.as_str())] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("batch");
        batch(&path, (|row| row["decision"] = json!("pass"), KEPT, STAYS));
        let row = |number: usize| {
            let name = format!("{number}.rs");
            json!({"id": name, "name": name, "hash": "ab", "decision": "pass", "summary": why})
        };
        let rows: Vec<Value> = (0..rows).map(row).collect();
        let summary = json!({"schema": {"name": "assay.verdicts", "version": "1.1"}, "verdicts": rows});
        fs::write(path.join("summary.json"), summary.to_string()).expect("written");
        let server = Server::start(&[folder.path()]);
        let listed = server.get("/gate").body;
        assert!(listed.contains("Not every batch was compared with its verdicts"), "{listed}");
        assert!(!listed.contains("not backed"), "{listed}");
    }
}
