//! Episodes that have ended and have no line of results: whoever removes lines takes nothing away unsaid, and nothing is said of a run as it should be.

use crate::api::json_of;
use crate::contradicted::{metadata, run, written};
use crate::fixture::{Memory, Server, check_is_inert};
use assay_model::Time;
use assay_trace::{Event, EventKind, OtherEvent, Record, Writer};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::Path;

/// What becomes of a run of three solved episodes, and which of them are named then.
type Case = (&'static str, fn(&Path), &'static [&'static str]);

const CASES: &[Case] = &[
    ("nothing", |_| {}, &[]),
    ("a line is removed", |run| lines(run, |line| line["task"] != "t1"), &["t1.s1"]),
    ("all lines are removed", |run| lines(run, |_| false), &["t1.s1", "t2.s1", "t3.s1"]),
    (
        "there are no results",
        |run| fs::remove_file(run.join("results.jsonl")).expect("removed"),
        &["t1.s1", "t2.s1", "t3.s1"],
    ),
    (
        "an episode was broken off",
        |run| left(run, |text| text.lines().take(1).map(|line| format!("{line}\n")).collect()),
        &[],
    ),
    ("an episode was cancelled", |run| left(run, |_| ended("cancelled")), &[]),
    ("an episode ended and was not graded", |run| left(run, |_| ended("finished")), &["t2.s1"]),
    ("a score is only half there", |run| left(run, |text| text[..text.len() - 9].to_owned()), &[]),
    ("a score was changed", |run| left(run, |text| text.replace("\"success\"", "\"failure\"")), &[]),
    ("a trajectory is of another episode", |run| left(run, |text| renamed(&text)), &[]),
    (
        "the line is of a second attempt",
        |run| {
            let hash = written(&run.join("episodes/t2.s1.a2.jsonl"), &metadata("t2.s1.a2", "model"), &[], 1.0);
            lines(run, |line| {
                if line["task"] == "t2" {
                    (line["id"], line["attempt"], line["hash"]) = (json!("t2.s1.a2"), json!(2), json!(hash));
                }
                true
            });
        },
        &[],
    ),
    (
        "the line is of a first attempt without a score, and a second has one",
        |run| {
            fs::remove_file(run.join("episodes/t2.s1.jsonl")).expect("removed");
            written(&run.join("episodes/t2.s1.a2.jsonl"), &metadata("t2.s1.a2", "model"), &[], 1.0);
            lines(run, |line| {
                if line["task"] == "t2" {
                    (line["result"], line["hash"]) = (json!("unscored"), Value::Null);
                }
                true
            });
        },
        &["t2.s1.a2"],
    ),
    (
        "a sub-agent has a trajectory",
        |run| drop(written(&run.join("episodes/t2.s1.1.jsonl"), &metadata("t2.s1.1", "model"), &[], 1.0)),
        &[],
    ),
];

/// Changes the lines of a run, and keeps those of which `change` says so.
fn lines(run: &Path, change: impl Fn(&mut Value) -> bool) {
    let text = fs::read_to_string(run.join("results.jsonl")).expect("text");
    let mut all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    all.retain_mut(change);
    fs::write(run.join("results.jsonl"), all.iter().map(|line| format!("{line}\n")).collect::<String>())
        .expect("written");
}

/// Removes the line of the second episode, and changes what is left of it.
fn left(run: &Path, change: impl Fn(String) -> String) {
    lines(run, |line| line["task"] != "t2");
    let file = run.join("episodes/t2.s1.jsonl");
    let text = fs::read_to_string(&file).expect("text");
    fs::write(file, change(text)).expect("written");
}

/// The trajectory of the second episode, which ended in some way and has no score.
fn ended(exit: &str) -> String {
    let body = json!({"detail": "", "exit": exit});
    let exit = OtherEvent::new("exit", &body).expect("a kind of its own");
    let record: Record = Event { at: Time(1), kind: EventKind::Other(exit) }.into();
    let mut writer = Writer::create(Memory::default(), &metadata("t2.s1", "model")).expect("begun");
    writer.append(&[record]).expect("written");
    String::from_utf8(writer.into_sink().0).expect("text")
}

/// The same trajectory with the name of another episode.
fn renamed(text: &str) -> String {
    text.replacen("t2.s1", "t9.s1", 1)
}

#[test]
fn an_episode_that_has_ended_and_has_no_line_is_told() {
    for (agent, kind) in [("agent", "worlds"), ("model", "rollouts")] {
        for &(name, change, expected) in CASES {
            let folder = tempfile::tempdir().expect("a folder");
            let place = folder.path().join("run");
            run(&place, agent, |_, _| {});
            change(&place);
            let server = Server::start(&[folder.path()]);
            let path = server.link(&format!("/{kind}"), &format!("/{kind}/"));
            let id = path.rsplit('/').next().expect("an id");
            let page = server.get(&path);
            assert_eq!(page.status, 200, "{kind}, {name}\n{}", page.body);
            check_is_inert(&path, &page);
            let told = json_of(&server, &format!("/api{path}"));
            let named: Vec<String> = expected.iter().map(|name| format!("{id}.{name}")).collect();
            assert_eq!(told["unlisted"], json!(named), "{kind}, {name}\n{told}");
            assert_eq!(told["under_way"], json!([]), "{kind}, {name}\n{told}");
            assert_eq!(page.body.contains("no readable line"), !expected.is_empty(), "{kind}, {name}\n{}", page.body);
            assert!(!page.body.contains("under way"), "{kind}, {name}\n{}", page.body);

            // While a process works on the run, lines are still to come.
            let lock = File::create(place.join("lock")).expect("made");
            lock.lock().expect("locked");
            let page = server.get(&path);
            let told = json_of(&server, &format!("/api{path}"));
            assert_eq!((&told["unlisted"], &told["unfinished"]), (&json!([]), &json!([])), "{kind}, {name}\n{told}");
            let body = &page.body;
            assert!(!body.contains("no readable line") && !body.contains("unfinished"), "{kind}, {name}\n{body}");
        }
    }
}

#[test]
fn an_episode_without_a_line_is_unfinished_unless_a_process_works_on_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("run");
    run(&place, "agent", |_, _| {});
    lines(&place, |_| false);
    let server = Server::start(&[folder.path()]);
    let path = server.link("/worlds", "/worlds/");
    let page = server.get(&path).body;
    assert!(page.contains("3 episodes have ended but have no readable line"), "{page}");
    assert_eq!(page.matches(">unfinished</span>").count(), 3, "{page}");
    let lock = File::create(place.join("lock")).expect("made");
    lock.lock().expect("locked");
    let page = server.get(&path).body;
    assert_eq!(page.matches(">under way</span>").count(), 3, "{page}");
    let told = json_of(&server, &format!("/api{path}"));
    assert_eq!(told["under_way"].as_array().map(Vec::len), Some(3), "{told}");
}
