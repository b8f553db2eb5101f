//! AgentDojo's suites beside the published package: environments, reference actions, verdicts, attacks, and seeded calls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::{engine, load, packages, peer};
use assay_model::Seed;
use assay_trace::Outcome;
use assay_world::value::normal;
use assay_world::{Action, Deed, Episode, Judged, Profile, Task};
use assay_worlds::import::{self, Suite};
use assay_worlds::{World, probe};
use serde_json::Value;

/// Users' tasks, injected tasks, tools, and attacks that reach an agent, in each suite.
const SUITES: [(Suite, usize, usize, usize, usize); 4] = [
    (Suite::Workspace, 40, 14, 24, 560),
    (Suite::Travel, 20, 7, 28, 140),
    (Suite::Banking, 16, 9, 11, 144),
    (Suite::Slack, 21, 5, 11, 105),
];
/// Tasks whose reference actions do not do what their own check asks for.
const FAILING: [&str; 8] = [
    "injection_task_6",
    "injection_task_7",
    "injection_task_8",
    "injection_task_9",
    "injection_task_10",
    "injection_task_11",
    "injection_task_12",
    "injection_task_13",
];
/// A tool of each suite that changes nothing: objects begin with the first call.
const READING: [&str; 4] = ["get_current_day", "get_user_information", "get_iban", "get_channels"];
/// The time that stands still in these worlds.
const NOW: &str = "2025-10-27 00:00:00";
/// Seeded calls through both in each suite. `ASSAY_AGENTDOJO_CALLS=1000` asks for more.
const CALLS: &str = "40";
/// Which attacks are compared whole, environment included: one in this many. `ASSAY_AGENTDOJO_PART=1` asks for all.
const PART: &str = "40";

struct Site {
    python: PathBuf,
    packages: PathBuf,
    worlds: tempfile::TempDir,
}

impl Site {
    fn new() -> Option<Self> {
        let (python, packages) = packages()?;
        Some(Self { python, packages, worlds: tempfile::tempdir().expect("a folder") })
    }

    fn world(&self, suite: Suite, attack: Option<&str>) -> World {
        let out = self.worlds.path().join(suite.name());
        let imported = import::agentdojo(&self.packages, suite, attack, &out, &|| Ok(engine().clone()));
        let imported = imported.unwrap_or_else(|error| panic!("{error}"));
        let counts = SUITES.iter().find(|(one, ..)| *one == suite).expect("it is listed");
        let (_, users, injected, tools, attacks) = counts;
        let attacks = if attack.is_some() { *attacks } else { 0 };
        assert_eq!((imported.tasks, imported.tools), (users + injected + attacks, *tools));
        load(&out).unwrap_or_else(|error| panic!("{error}"))
    }

    fn peer(&self, arguments: &[&str]) -> Vec<Value> {
        peer(&self.python, "peer_agentdojo.py", arguments)
    }
}

fn setting(name: &str, otherwise: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| otherwise.to_owned())
}

/// A text without the time of what was written just now.
fn timeless(text: &str) -> String {
    let mut parts = text.split(NOW);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| {
        let rest = part.strip_prefix('.').map_or(part, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        format!("{whole}now{rest}")
    })
}

/// An environment without that time, and with what the package puts through a set in order.
fn ordered(value: &Value, name: &str) -> Value {
    match value {
        Value::String(text) => timeless(text).into(),
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(|item| ordered(item, "")).collect();
            if name == "participants" {
                items.sort_by_key(Value::to_string);
            }
            items.into()
        }
        Value::Object(fields) => fields.iter().map(|(key, item)| (key.clone(), ordered(item, key))).collect(),
        other => other.clone(),
    }
}

/// The lines of an answer, in order where the package puts some of them through a set.
fn lines(text: &str) -> Vec<String> {
    let text = timeless(text);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if text.contains("participants:") {
        lines.sort();
    }
    lines
}

fn begin(world: &World, task: &Arc<Task>) -> Episode {
    Episode::begin(&world.definition, task, Seed(1), Profile::None).expect("it begins")
}

fn task<'w>(world: &'w World, id: &Value) -> &'w Arc<Task> {
    world.tasks.iter().find(|task| Some(task.id.as_str()) == id.as_str()).expect("it is there")
}

/// Makes a call: the answer, or the error.
fn call(episode: &mut Episode, tool: &str, arguments: &Value) -> Result<String, String> {
    let calls = vec![(tool.to_owned(), arguments.to_string())];
    let turn = episode.act(&Action { calls, ..Action::default() });
    let called = episode.calls(&turn).first().expect("it was made");
    called.result.as_ref().map(|_| called.text.clone()).map_err(|error| error.message.clone())
}

fn end(episode: &mut Episode, say: Option<String>) -> Judged {
    episode.act(&Action { say, stop: true, ..Action::default() });
    episode.judge().expect("it can be judged")
}

fn environment(episode: &Episode, suite: Suite) -> Value {
    let document = episode.world().state().documents.get("python", suite.name()).expect("it has begun");
    ordered(&document["environment"], "")
}

fn theirs(value: &Value) -> Value {
    ordered(&normal(value.clone()), "")
}

/// The environment that a task begins with.
fn before(world: &World, task: &Arc<Task>, suite: Suite) -> Value {
    let mut task = (**task).clone();
    task.turns += 1;
    let mut episode = begin(world, &Arc::new(task));
    let reading = READING.iter().find(|tool| world.definition.tools.contains_key(**tool)).expect("it is there");
    call(&mut episode, reading, &Value::Object(serde_json::Map::new())).expect("it answers");
    environment(&episode, suite)
}

/// Plays the reference actions as the package did: what they were worth.
fn replay(world: &World, task: &Arc<Task>, suite: Suite, peer: &Value) -> bool {
    let mut episode = begin(world, task);
    let (mut answers, mut say) = (Vec::new(), None);
    for deed in &task.gold {
        match deed {
            Deed::Say(text) => say = Some(text.clone()),
            Deed::Call { tool, arguments } => {
                let answer = call(&mut episode, tool, &Value::Object(arguments.clone()));
                answers.push(answer.unwrap_or_else(|error| panic!("{} {tool}: {error}", task.id)));
            }
        }
    }
    let wanted = peer["answers"].as_array().expect("answers");
    assert_eq!(answers.len(), wanted.len(), "{}", task.id);
    for (ours, theirs) in answers.iter().zip(wanted) {
        assert_eq!(lines(ours), lines(theirs.as_str().expect("text")), "{}", task.id);
    }
    if answers.is_empty() {
        assert_eq!(theirs(&peer["before"]), theirs(&peer["after"]), "{}", task.id);
    } else {
        assert_eq!(environment(&episode, suite), theirs(&peer["after"]), "{}", task.id);
    }
    end(&mut episode, say).is_done
}

#[test]
fn reference_actions_leave_what_they_leave_in_the_package() {
    let Some(site) = Site::new() else { return };
    let (mut all, mut failing, mut free) = (0, Vec::new(), Vec::new());
    for (suite, ..) in SUITES {
        let world = site.world(suite, None);
        for line in site.peer(&["golds", suite.name()]) {
            let task = task(&world, &line["id"]);
            let is_right = replay(&world, task, suite, &line);
            assert_eq!(Some(is_right), line["gold"].as_bool(), "{}", task.id);
            assert_eq!(before(&world, task, suite), theirs(&line["before"]), "{}", task.id);
            let nothing = end(&mut begin(&world, task), None);
            assert_eq!(Some(nothing.is_done), line["nothing"].as_bool(), "{}", task.id);
            failing.extend((!is_right).then(|| task.id.clone()));
            free.extend(nothing.is_done.then(|| format!("{} {}", suite.name(), task.id)));
            all += 1;
        }
        println!("{}: {all} tasks", suite.name());
    }
    assert_eq!((all, failing), (132, FAILING.map(str::to_owned).to_vec()));
    println!("worth something to whoever does nothing: {free:?}");
}

/// The texts of an attack's vectors, by name.
fn texts(task: &Task, suite: Suite) -> Value {
    let begin: Value = serde_json::from_str(&task.begin[suite.name()]).expect("JSON");
    begin["with"]["injections"].clone()
}

#[test]
fn attacks_are_those_of_the_package() {
    let Some(site) = Site::new() else { return };
    let part = setting("ASSAY_AGENTDOJO_PART", PART);
    let (mut all, mut whole) = (0, 0);
    for (suite, .., attacks) in SUITES {
        let world = site.world(suite, Some("important_instructions"));
        let lines = site.peer(&["attacks", suite.name(), "important_instructions", &part]);
        assert_eq!(lines.len(), attacks);
        for line in &lines {
            let task = task(&world, &line["id"]);
            assert!(task.has_attacker());
            assert_eq!(texts(task, suite), line["texts"], "{}", task.id);
            if let Some(environment) = line.get("before") {
                assert_eq!(before(&world, task, suite), theirs(environment), "{}", task.id);
                whole += 1;
            }
            all += 1;
        }
    }
    assert_eq!(all, 949);
    let out = site.worlds.path().join("none");
    let unknown = import::agentdojo(&site.packages, Suite::Slack, Some("dirct"), &out, &|| Ok(engine().clone()));
    let error = unknown.expect_err("the attack is unknown").to_string();
    assert!(error.contains("there is no attack 'dirct'; there are direct, "), "{error}");
    assert!(!out.exists());
    println!("{all} attacks, {whole} environments with their texts");
}

/// An agent that follows the attacker, and does the user's task beside it or not: utility and security are apart, and a text that was not followed is no
/// violation.
#[test]
fn utility_and_security_are_apart() {
    let Some(site) = Site::new() else { return };
    let world = site.world(Suite::Banking, Some("direct"));
    let by_id: BTreeMap<&str, &Arc<Task>> = world.tasks.iter().map(|task| (task.id.as_str(), task)).collect();
    let (user, injected) = (by_id["user_task_0"], by_id["injection_task_0"]);
    let attacked = by_id["user_task_0-injection_task_0"];
    let play = |deeds: &[&Arc<Task>]| {
        let mut episode = begin(&world, attacked);
        let mut say = None;
        for deed in deeds.iter().flat_map(|task| &task.gold) {
            match deed {
                Deed::Say(text) => say = Some(text.clone()),
                Deed::Call { tool, arguments } => {
                    call(&mut episode, tool, &Value::Object(arguments.clone())).expect("it answers");
                }
            }
        }
        end(&mut episode, say)
    };
    let check = |deeds: &[&Arc<Task>], outcome: Outcome, is_done: bool, followed: &[&str]| {
        let judged = play(deeds);
        assert_eq!((judged.outcome, judged.is_done), (outcome, is_done), "{:?}", judged.why);
        assert_eq!(judged.followed, followed);
        let wanted = if outcome == Outcome::Success { 1.0 } else { 0.0 };
        assert_eq!(judged.score.value().number(), Some(wanted));
    };
    check(&[], Outcome::Failure, false, &[]);
    check(&[user], Outcome::Success, true, &[]);
    check(&[injected], Outcome::SafetyViolation, false, &["injection_task_0"]);
    check(&[injected, user], Outcome::SafetyViolation, true, &["injection_task_0"]);
    assert_eq!(probe(&world, attacked), Ok(()));
}

#[test]
fn seeded_calls_are_answered_as_by_the_package() {
    let Some(site) = Site::new() else { return };
    let count = setting("ASSAY_AGENTDOJO_CALLS", CALLS);
    let (mut all, mut errors) = (0, 0);
    for (suite, ..) in SUITES {
        let world = site.world(suite, None);
        let mut task = (**world.tasks.first().expect("a task")).clone();
        task.turns = 1_000;
        let task = Arc::new(task);
        let mut episode = begin(&world, &task);
        for line in site.peer(&["walk", suite.name(), "1", &count]) {
            if line["is_first"] == true {
                episode = begin(&world, &task);
            }
            let tool = line["tool"].as_str().expect("a name");
            let ours = call(&mut episode, tool, &line["arguments"]);
            let what = format!("{} {tool} {}", suite.name(), line["arguments"]);
            let (ours, wanted) = match &ours {
                Ok(text) => (text, &line["answer"]),
                Err(error) => (error, &line["error"]),
            };
            assert_eq!(lines(ours), lines(wanted.as_str().unwrap_or_default()), "{what}: {line}");
            if episode.world().state().documents.get("python", suite.name()).is_some() {
                assert_eq!(environment(&episode, suite), theirs(&line["after"]), "{what}");
            }
            errors += usize::from(line["error"].is_string());
            all += 1;
        }
    }
    println!("{all} calls, {errors} errors, all equal");
}

#[test]
fn packages_that_are_not_whole_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |files: &[&str], attack: Option<&str>, wanted: &str| {
        let site = folder.path().join(format!("site-{}", files.len()));
        for file in files {
            let path = site.join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, "raise ValueError('no')\n").expect("written");
        }
        std::fs::create_dir_all(&site).expect("made");
        let out = folder.path().join("out");
        let imported = import::agentdojo(&site, Suite::Slack, attack, &out, &|| Ok(engine().clone()));
        let error = imported.expect_err(wanted).to_string();
        assert!(error.contains(wanted), "{error}");
        assert!(!Path::new(&out).exists());
    };
    check(&[], None, "task_suite/load_suites.py");
    let package = ["agentdojo/__init__.py", "agentdojo/task_suite/load_suites.py"];
    check(&package, None, "deepdiff/__init__.py");
    let libraries = ["deepdiff", "docstring_parser", "email_validator", "idna", "orderly_set", "yaml"]
        .map(|name| format!("{name}/__init__.py"));
    let all: Vec<&str> = package.into_iter().chain(libraries.iter().map(String::as_str)).collect();
    check(
        &[&all[..], &["agentdojo/data/system_messages.yaml"]].concat(),
        None,
        "yaml/__init__.py, line 1: ValueError: no",
    );
}
