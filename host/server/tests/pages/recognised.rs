//! Folders of runs are what their `run.json` says, whatever lies beside it; one that cannot be understood is listed with its trouble.

use crate::api::json_of;
use crate::fixture::{Server, check_is_inert, rollout_folder};
use crate::stored::world_folder;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What somebody does to the folder of a run.
type Change = fn(&Path);

/// What becomes of it: the kind of folder, the reason if it is damaged, and the page with its status.
struct Expected {
    what: &'static str,
    damage: Option<&'static str>,
    page: (&'static str, u16),
    /// Whether its trajectories can be opened from there.
    has_trajectories: bool,
}

fn without_episodes(run: &Path) {
    fs::remove_dir_all(run.join("episodes")).expect("removed");
}

fn without_results(run: &Path) {
    fs::remove_file(run.join("results.jsonl")).expect("removed");
}

fn says(run: &Path, text: &str) {
    fs::write(run.join("run.json"), text).expect("written");
}

/// The record with something else in it.
fn changed(run: &Path, change: impl FnOnce(&mut Value)) {
    let text = fs::read_to_string(run.join("run.json")).expect("text");
    let mut record = serde_json::from_str(&text).expect("JSON");
    change(&mut record);
    says(run, &record.to_string());
}

fn without(run: &Path, field: &str) {
    changed(run, |record| drop(record.as_object_mut().expect("an object").remove(field)));
}

/// A record that is longer than what is read of it to know the folder, and breaks off after that.
fn cut_short(run: &Path) {
    changed(run, |record| record["settings"]["zeal"] = json!("z".repeat(40_000)));
    let text = fs::read_to_string(run.join("run.json")).expect("text");
    says(run, &text[..text.len() - 20]);
}

const NO_NAME: &str = "it does not say what it is";

fn check(name: &str, make: Change, change: Change, expected: &Expected) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    make(&run);
    change(&run);
    let server = Server::start(&[folder.path()]);
    let told = json_of(&server, "/api/folders");
    assert_eq!(told["total"], 1, "{name}\n{told}");
    let found = &told["folders"][0];
    assert_eq!(found["what"], expected.what, "{name}\n{told}");
    let (list, status) = expected.page;
    let listed = server.get(list).body;
    match (expected.damage, found["damage"].as_str()) {
        (None, None) => assert!(!listed.contains("damaged"), "{name}\n{listed}"),
        (Some(words), Some(why)) => {
            assert!(why.starts_with("run.json: ") && why.contains(words), "{name}: {words}\n{why}");
            assert!(listed.contains("damaged") && listed.contains("run.json: "), "{name}\n{listed}");
        }
        (expected, found) => panic!("{name}: {expected:?}, {found:?}"),
    }
    let path = found["page"].as_str().expect("a page");
    let page = server.get(path);
    assert_eq!(page.status, status, "{name}\n{}", page.body);
    if status == 200 {
        check_is_inert(path, &page);
    }
    assert_eq!(page.body.contains("href=\"/t/"), expected.has_trajectories, "{name}\n{}", page.body);
    if expected.has_trajectories {
        assert_eq!(server.get(&server.link(path, "/t/")).status, 200, "{name}");
    }
}

#[test]
fn a_run_is_what_its_record_says() {
    let world: Change = |run| world_folder(run, "desk");
    let rollout: Change = |run| rollout_folder(run, 1);
    let report: Change = |run| {
        fs::create_dir_all(run).expect("made");
        says(run, "{}");
    };
    let healthy = |what, list, has_trajectories| Expected { what, damage: None, page: (list, 200), has_trajectories };
    let damaged = |why, has_trajectories| Expected {
        what: "damaged",
        damage: Some(why),
        page: ("/rollouts", 200),
        has_trajectories,
    };
    let unread = |why| Expected { what: "report", damage: Some(why), page: ("/runs", 422), has_trajectories: false };
    let cases: &[(&str, Change, Change, Expected)] = &[
        ("a world", world, |_| {}, healthy("world", "/worlds", true)),
        ("a world without trajectories", world, without_episodes, healthy("world", "/worlds", false)),
        ("a world without results", world, without_results, healthy("world", "/worlds", true)),
        ("a rollout", rollout, |_| {}, healthy("rollout", "/rollouts", true)),
        ("a rollout without trajectories", rollout, without_episodes, healthy("rollout", "/rollouts", false)),
        ("a rollout without results", rollout, without_results, healthy("rollout", "/rollouts", true)),
        ("a rollout cut short", rollout, cut_short, healthy("rollout", "/rollouts", true)),
        ("a world cut short", world, cut_short, healthy("world", "/worlds", true)),
        ("a nameless world", world, |run| says(run, "{}"), damaged(NO_NAME, true)),
        ("a nameless rollout", rollout, |run| says(run, "{}"), damaged(NO_NAME, true)),
        ("no format", rollout, |run| without(run, "format"), damaged(NO_NAME, true)),
        (
            "another format",
            world,
            |run| changed(run, |record| record["format"] = json!("x")),
            damaged("format x", true),
        ),
        ("no tasks", world, |run| without(run, "tasks"), damaged("missing field `tasks`", true)),
        ("no settings", rollout, |run| without(run, "settings"), damaged("missing field `settings`", true)),
        (
            "nothing but results",
            world,
            |run| {
                says(run, "{}");
                without_episodes(run);
            },
            damaged(NO_NAME, false),
        ),
        ("a nameless report", report, |_| {}, unread(NO_NAME)),
        (
            "another file of that name",
            report,
            |run| says(run, r#"{"schema":{"name":"assay.bench","version":"1.0"}}"#),
            unread("it has the schema assay.bench"),
        ),
        (
            "a report of a later release",
            report,
            |run| says(run, r#"{"schema":{"name":"assay.run","version":"9.1"}}"#),
            unread("a file of a later release"),
        ),
    ];
    for (name, make, change, expected) in cases {
        check(name, *make, *change, expected);
    }
}
