//! Results of a run of episodes that contradict their trajectories: they are told apart and counted nowhere, and all others are shown as always.

use crate::api::json_of;
use crate::fixture::{Memory, Server, check_is_inert};
use assay_model::{Nanos, Seed, Time};
use assay_rollout::run::RunRecord;
use assay_trace::score::{Finite, ScoreNode};
use assay_trace::{Event, EventKind, Flag, Metadata, ModelCall, Outcome, Record, TrajectoryId, Usage, Verdict, Writer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What somebody does to the second of three lines, or to its trajectory, and what differs then.
type Case = (&'static str, fn(&mut Value, &Path), Option<&'static str>);

const CASES: &[Case] = &[
    ("nothing", |_, _| {}, None),
    (
        "a reward",
        |line, _| line["result"]["scored"]["reward"] = json!(0.5),
        Some("its reward is 0.5, but that of its trajectory, episodes/t2.s1.jsonl, is 1"),
    ),
    (
        "an outcome",
        |line, _| line["result"]["scored"]["outcome"] = json!("failure"),
        Some("its outcome is failure, but that of its trajectory, episodes/t2.s1.jsonl, is success"),
    ),
    (
        "tokens",
        |line, _| line["tokens"] = json!(1_000_000),
        Some("its number of tokens is 1000000, but that of its trajectory, episodes/t2.s1.jsonl, is 0"),
    ),
    (
        "a cost",
        |line, _| line["cost_microdollars"] = json!(7),
        Some("its cost in micro-dollars is 7, but that of its trajectory, episodes/t2.s1.jsonl, is 0"),
    ),
    (
        "steps",
        |line, _| line["steps"] = json!(3),
        Some("its number of steps is 3, but that of its trajectory, episodes/t2.s1.jsonl, is 0"),
    ),
    ("a flag that the line has", |line, file| flagged(line, file, &["protected_file"]), None),
    ("a flag that the line has, and another", |line, file| flagged(line, file, &["other", "protected_file"]), None),
    (
        "no flag",
        |line, file| flagged(line, file, &[]),
        Some("it lacks flags that its trajectory, episodes/t2.s1.jsonl, has: \"protected_file\""),
    ),
    ("tokens that earlier releases did not know", |line, _| line["tokens"] = Value::Null, None),
    ("a cost of which a part is known", |line, file| partly_known(line, file, KNOWN), None),
    (
        "the known part of a cost",
        |line, file| partly_known(line, file, "null"),
        Some("its known spending is 0 tokens and 0 micro-dollars, but that of its trajectory"),
    ),
    (
        "that a part of a cost is not known",
        |line, file| partly_known(line, file, "{\"tokens\":7,\"cost_microdollars\":7}"),
        Some("is 7 tokens and 7 micro-dollars, and more that is not known"),
    ),
    (
        "a score that was taken away",
        |line, _| line["result"] = json!("unscored"),
        Some("its outcome is unscored, but that of its trajectory, episodes/t2.s1.jsonl, is success"),
    ),
    (
        "a score that was taken away, and a hash",
        |line, _| {
            line["result"] = json!("unscored");
            line["hash"] = json!("ab".repeat(32));
        },
        Some("it is unscored, but its trajectory, episodes/t2.s1.jsonl, holds a score: success"),
    ),
    (
        "a score that was taken away, and what is no hash",
        |line, _| {
            line["result"] = json!("unscored");
            line["hash"] = json!("none");
        },
        Some("it is unscored, but its trajectory, episodes/t2.s1.jsonl, holds a score: success"),
    ),
    (
        "a score that was taken away, and the hash of the record before it",
        |line, file| {
            line["result"] = json!("unscored");
            let text = fs::read_to_string(file).expect("text");
            line["hash"] = last_hash(text.lines().next().expect("a line")).into();
        },
        Some("it is unscored, but its trajectory, episodes/t2.s1.jsonl, holds a score: success"),
    ),
    (
        "a score that was taken away, as if its episode had panicked",
        |line, _| {
            line["result"] = json!("unscored");
            line["hash"] = Value::Null;
            (line["tokens"], line["cost_microdollars"]) = (Value::Null, Value::Null);
        },
        Some("it is unscored, but its trajectory, episodes/t2.s1.jsonl, holds a score: success"),
    ),
    (
        "a line without a score whose trajectory is another",
        |line, file| {
            line["result"] = json!("unscored");
            let text = fs::read_to_string(file).expect("text");
            fs::write(file, format!("{}\n", text.lines().next().expect("a line"))).expect("written");
        },
        Some("its trajectory, episodes/t2.s1.jsonl, has no record with the hash of the line any more"),
    ),
    (
        "a hash",
        |line, _| line["hash"] = json!("ab".repeat(32)),
        Some("its trajectory, episodes/t2.s1.jsonl, has no record with the hash of the line any more"),
    ),
    (
        "no hash",
        |line, _| line["hash"] = Value::Null,
        Some("it has no hash, but its trajectory, episodes/t2.s1.jsonl, is there"),
    ),
    (
        "a trajectory that is gone, which in worlds is all that proves a result",
        |_, file| fs::remove_file(file).expect("removed"),
        Some("its trajectory, episodes/t2.s1.jsonl, is missing"),
    ),
    (
        "a link",
        |_, file| {
            let elsewhere = file.with_extension("old");
            fs::rename(file, &elsewhere).expect("moved");
            std::os::unix::fs::symlink(elsewhere, file).expect("linked");
        },
        Some("its trajectory, episodes/t2.s1.jsonl, cannot be read"),
    ),
    (
        "an outcome, in the trajectory as well",
        |line, file| {
            line["result"]["scored"]["outcome"] = json!("failure");
            let text = fs::read_to_string(file).expect("text");
            fs::write(file, text.replace("\"success\"", "\"failure\"")).expect("written");
        },
        Some("its trajectory, episodes/t2.s1.jsonl, has no record with the hash of the line any more"),
    ),
    (
        "a trajectory that was written anew",
        |_, file| drop(played(file, "t2.s1", "model", 0.0)),
        Some("its trajectory, episodes/t2.s1.jsonl, has no record with the hash of the line any more"),
    ),
    (
        "a line of a trajectory once more",
        |_, file| {
            let text = fs::read_to_string(file).expect("text");
            let last = text.lines().last().expect("a line");
            fs::write(file, format!("{text}{last}\n")).expect("written");
        },
        Some("its trajectory, episodes/t2.s1.jsonl, has line 2 twice"),
    ),
    (
        "another seed",
        |line, _| line["seed"] = json!(9),
        Some("its trajectory, episodes/t2.s1.jsonl, was recorded with seed 1, and the line says seed 9"),
    ),
    (
        "a trajectory of another episode",
        |line, file| line["hash"] = played(file, "t3.s1", "model", 1.0).into(),
        Some("is that of the episode \"t3.s1\""),
    ),
    (
        "a trajectory of another agent",
        |line, file| line["hash"] = played(file, "t2.s1", "other", 1.0).into(),
        Some("its trajectory was played by \"other\", but this is a run of \"model\""),
    ),
];

/// What is known of an episode with a request of which nobody knows what it has cost.
const KNOWN: &str = "{\"tokens\":7,\"cost_microdollars\":7,\"tokens_unknown\":true,\"cost_unknown\":true}";

/// Makes the second episode such a one, of which the line says that this is known.
fn partly_known(line: &mut Value, file: &Path, known: &str) {
    let call = |spent: Option<u64>| -> Record {
        let call = ModelCall {
            model: "model".to_owned(),
            usage: spent.map(|input| Usage { input, ..Usage::default() }),
            cost_microdollars: spent,
            latency: Nanos(1),
            retries: 0,
            stop_reason: None,
            error: None,
        };
        Event { at: Time(1), kind: EventKind::ModelCall(call) }.into()
    };
    line["hash"] = written(file, &metadata("t2.s1", "model"), &[call(Some(7)), call(None)], 1.0).into();
    (line["tokens"], line["cost_microdollars"]) = (Value::Null, Value::Null);
    line["known"] = serde_json::from_str(known).expect("JSON");
}

/// Raises a flag in the second episode, of which the line says that it has these.
fn flagged(line: &mut Value, file: &Path, flags: &[&str]) {
    let flag = Flag { name: "protected_file".to_owned(), detail: "tests/test_a.py".to_owned() };
    let raised = Record::from(Event { at: Time(1), kind: EventKind::Flag(flag) });
    line["hash"] = written(file, &metadata("t2.s1", "model"), &[raised], 1.0).into();
    line["flags"] = json!(flags);
}

pub(crate) fn metadata(id: &str, model: &str) -> Metadata {
    Metadata::new(TrajectoryId::new(id).expect("an id"), "market", model, Seed(1), Time(1))
}

/// Writes the trajectory of an episode with a score. The hash of its last line.
fn played(file: &Path, id: &str, model: &str, reward: f64) -> String {
    scored(file, &metadata(id, model), reward)
}

/// The same of one that began in some way.
pub(crate) fn scored(file: &Path, metadata: &Metadata, reward: f64) -> String {
    written(file, metadata, &[], reward)
}

/// The same with some records before the score.
pub(crate) fn written(file: &Path, metadata: &Metadata, before: &[Record], reward: f64) -> String {
    let outcome = if reward > 0.0 { Outcome::Success } else { Outcome::Failure };
    let score = ScoreNode::scored("score", Finite::new(reward).expect("finite"));
    let verdict = Verdict::scored(Time(1), "test", outcome, "finished", score).expect("a verdict");
    let mut writer = Writer::create(Memory::default(), metadata).expect("begun");
    writer.append(before).expect("written");
    writer.append(&[verdict.into()]).expect("written");
    let text = String::from_utf8(writer.into_sink().0).expect("text");
    let hash = last_hash(&text);
    fs::write(file, text).expect("written");
    hash
}

/// The last hash of some lines of a trajectory.
pub(crate) fn last_hash(text: &str) -> String {
    text.rsplit_once("\"_hash\":\"").and_then(|(_, rest)| rest.split('"').next()).expect("a hash").to_owned()
}

/// A run of three episodes, all of them solved, whose second line is what `change` makes of it.
pub(crate) fn run(folder: &Path, agent: &str, change: fn(&mut Value, &Path)) {
    fs::create_dir_all(folder.join("episodes")).expect("made");
    let settings = BTreeMap::from([(agent.to_owned(), json!("model")), ("samples".to_owned(), json!(1))]);
    let tasks = ["t1", "t2", "t3"].map(|task| (task.to_owned(), "0".to_owned())).into();
    let mut record = serde_json::to_value(RunRecord::new(settings, tasks)).expect("JSON");
    if agent == "agent" {
        record["settings"]["world"] = json!("desk");
    }
    fs::write(folder.join("run.json"), record.to_string()).expect("written");
    let mut lines = String::new();
    for task in ["t1", "t2", "t3"] {
        let (id, file) = (format!("{task}.s1"), folder.join(format!("episodes/{task}.s1.jsonl")));
        let hash = played(&file, &id, "model", 1.0);
        let mut line = json!({
            "id": id, "task": task, "sample": 1, "attempt": 1, "seed": 1, "result": {"scored": {"reward": 1.0, "outcome": "success"}},
            "reason": "", "steps": 0, "tokens": 0, "cost_microdollars": 0, "flags": [], "duration_ns": 5, "hash": hash,
        });
        if task == "t2" {
            change(&mut line, &file);
        }
        lines.push_str(&format!("{line}\n"));
    }
    fs::write(folder.join("results.jsonl"), lines).expect("written");
}

#[test]
fn a_result_that_contradicts_its_trajectory_is_told_and_not_counted() {
    // A run in a world names its agent, a rollout its model, which says nothing of who played an episode.
    for (agent, kind) in [("agent", "worlds"), ("model", "rollouts")] {
        for &(name, change, expected) in CASES {
            let only_in_worlds = |words: &str| words.contains("was played by") || words.contains("is missing");
            let expected = expected.filter(|words| agent == "agent" || !only_in_worlds(words));
            let folder = tempfile::tempdir().expect("a folder");
            run(&folder.path().join("run"), agent, change);
            let server = Server::start(&[folder.path()]);
            let path = server.link(&format!("/{kind}"), &format!("/{kind}/"));
            let page = server.get(&path);
            assert_eq!(page.status, 200, "{kind}, {name}\n{}", page.body);
            check_is_inert(&path, &page);
            let told = json_of(&server, &format!("/api{path}"));
            let believed = if expected.is_some() { 2 } else { 3 };
            assert_eq!(page.body.contains("1 episode is broken"), expected.is_some(), "{kind}, {name}\n{}", page.body);
            assert_eq!(page.body.contains(">broken</span>"), expected.is_some(), "{kind}, {name}\n{}", page.body);
            assert_eq!(page.body.matches(">solved").count(), believed, "{kind}, {name}\n{}", page.body);
            assert!(!page.body.contains("under way"), "{kind}, {name}\n{}", page.body);
            for number in [&told["total"], &told["figures"]["episodes"], &told["figures"]["solved"]] {
                assert_eq!(*number, believed, "{kind}, {name}\n{told}");
            }
            assert_eq!(told["figures"]["reward"]["estimate"], 1.0, "{kind}, {name}\n{told}");
            let broken = told["broken"].as_array().expect("a list");
            assert_eq!(broken.len(), 3 - believed, "{kind}, {name}\n{told}");
            let Some(words) = expected else { continue };
            let why = broken[0]["why"].as_str().expect("words");
            assert!(why.contains(words), "{kind}, {name}: {words}\n{why}");
            let is_gone = words.contains("is missing");
            let headline = if is_gone { "the trajectory is missing, so" } else { "contradicts the trajectory, so" };
            assert!(page.body.contains(headline), "{kind}, {name}\n{}", page.body);
            assert_eq!((&broken[0]["id"], &broken[0]["line"]), (&json!("t2.s1"), &json!(2)), "{kind}, {name}\n{told}");
            let Some(trajectory) = broken[0]["trajectory"].as_str() else {
                assert!(words.contains("is missing"), "{kind}, {name}\n{told}");
                continue;
            };
            // Links are not followed, so their page says that they cannot be read.
            let status = if name == "a link" { 422 } else { 200 };
            assert_eq!(server.get(&format!("/t/{trajectory}")).status, status, "{kind}, {name}");
        }
    }
}

/// What takes the place of the tokens of the first line, what was discarded, and then the tokens in all, and whether some are not known.
const SUMS: &[(&str, &str, u64, bool)] = &[
    ("\"tokens\":0", "", 0, false),
    // More than the trajectory says, more than there can be, and more than there is room for.
    ("\"tokens\":999999999", "", 0, true),
    ("\"tokens\":18446744073709551615", "", 0, true),
    ("\"tokens\":1e30", "", 0, true),
    // What nothing backs of attempts before.
    ("\"tokens\":0,\"earlier\":{\"tokens\":900000000000000,\"cost_microdollars\":0}", "", 0, true),
    ("\"tokens\":0,\"earlier\":{\"tokens\":900000000000000,\"cost_microdollars\":0}", DISCARDED, 5, true),
    ("\"tokens\":0,\"earlier\":{\"tokens\":5,\"cost_microdollars\":0}", DISCARDED, 5, false),
    // A part of them was taken away, or is of another episode.
    ("\"tokens\":0,\"earlier\":{\"tokens\":4,\"cost_microdollars\":0}", DISCARDED, 4, true),
    ("\"tokens\":0", DISCARDED, 0, true),
    ("\"tokens\":0,\"earlier\":{\"tokens\":7,\"cost_microdollars\":0}", OTHERS, 0, true),
    // What was discarded after a start was of a second attempt.
    ("\"tokens\":0,\"earlier\":{\"tokens\":6,\"cost_microdollars\":0}", SECOND, 6, false),
];
const DISCARDED: &str = "{\"id\":\"t1.s1\",\"hash\":\"a\",\"spent\":{\"tokens\":5,\"cost_microdollars\":0}}\n";
const OTHERS: &str = "{\"id\":\"t9.s1\",\"hash\":\"a\",\"spent\":{\"tokens\":7,\"cost_microdollars\":0}}\n";
const SECOND: &str = "{\"id\":\"t1.s1.a2\",\"hash\":\"a\",\"spent\":{\"tokens\":6,\"cost_microdollars\":0}}\n";

#[test]
fn a_sum_counts_only_what_stands() {
    for (agent, kind) in [("agent", "worlds"), ("model", "rollouts")] {
        for (change, discarded, tokens, is_unknown) in SUMS {
            let folder = tempfile::tempdir().expect("a folder");
            run(&folder.path().join("run"), agent, |_, _| {});
            let journal = folder.path().join("run/results.jsonl");
            let text = fs::read_to_string(&journal).expect("text");
            fs::write(&journal, text.replacen("\"tokens\":0", change, 1)).expect("written");
            fs::write(folder.path().join("run/discarded.jsonl"), discarded).expect("written");
            let server = Server::start(&[folder.path()]);
            let told = json_of(&server, "/api/spending");
            let total = &told[kind]["total"];
            assert_eq!(total["tokens"], *tokens, "{change} {discarded}\n{told}");
            assert_eq!(total["is_partly_unknown"], *is_unknown, "{change} {discarded}\n{told}");
            assert_eq!(told["unreadable"], 0, "{told}");
            let page = server.get("/").body;
            assert_eq!(page.contains("what some requests cost is not known"), *is_unknown, "{told}");
        }
    }
}

/// Lines of results, from 1, that are written over, with what, and what is said of them.
type Damage = (&'static [(usize, &'static str)], &'static str);

#[test]
fn a_damaged_line_hides_no_other() {
    let long = "x".repeat(2 << 20);
    let cases: [Damage; 3] = [
        (&[(2, "no record")], "1 line of <code>results.jsonl</code> is damaged, and left out of this page: line 2."),
        (
            &[(3, "{}"), (1, "[")],
            "2 lines of <code>results.jsonl</code> are damaged, and left out of this page: lines 1, 3.",
        ),
        (&[(1, "LONG")], "Line 1: it has more than 1048576 bytes"),
    ];
    for (agent, kind) in [("agent", "worlds"), ("model", "rollouts")] {
        for (damage, expected) in cases {
            let folder = tempfile::tempdir().expect("a folder");
            run(&folder.path().join("run"), agent, |_, _| {});
            let journal = folder.path().join("run/results.jsonl");
            let text = fs::read_to_string(&journal).expect("text");
            let mut lines: Vec<&str> = text.lines().collect();
            for (line, with) in damage {
                lines[line - 1] = if *with == "LONG" { long.as_str() } else { *with };
            }
            fs::write(&journal, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).expect("written");
            let server = Server::start(&[folder.path()]);
            let path = server.link(&format!("/{kind}"), &format!("/{kind}/"));
            let page = server.get(&path);
            assert!(page.status == 200 && page.body.contains(expected), "{kind}: {expected}\n{}", page.body);
            let way_out =
                if damage.len() == 1 { "goes on once it is removed" } else { "goes on once they are removed" };
            assert!(page.body.contains(way_out), "{kind}: {expected}\n{}", page.body);
            check_is_inert(&path, &page);
            let left = 3 - damage.len();
            assert_eq!(page.body.matches(">solved").count(), left, "{kind}: {expected}\n{}", page.body);
            let told = json_of(&server, &format!("/api{path}"));
            assert_eq!((&told["total"], &told["figures"]["solved"]), (&json!(left), &json!(left)), "{told}");
            let named = told["damaged"].as_array().expect("a list").iter().map(|one| one["line"].as_u64());
            let mut written: Vec<Option<u64>> = damage.iter().map(|(line, _)| Some(*line as u64)).collect();
            written.sort_unstable();
            assert_eq!(named.collect::<Vec<_>>(), written, "{told}");
        }
    }
}

#[test]
fn a_link_in_place_of_the_episodes_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let run_folder = folder.path().join("run");
    run(&run_folder, "model", |_, _| {});
    let server = Server::start(&[folder.path()]);
    let path = server.link("/rollouts", "/rollouts/");
    fs::rename(run_folder.join("episodes"), run_folder.join("elsewhere")).expect("moved");
    std::os::unix::fs::symlink("elsewhere", run_folder.join("episodes")).expect("linked");
    let page = server.get(&path);
    assert_eq!(page.status, 422, "{}", page.body);
    assert!(page.body.contains("run/episodes: it is a symbolic link"), "{}", page.body);
}
