//! The Berkeley Function-Calling Leaderboard's conversations beside the published package: the answers of every call, and the objects after every turn.

use crate::common::{load, packages, peer};
use assay_model::Seed;
use assay_world::value::normal;
use assay_world::{Action, Deed, Episode, Profile, Task};
use assay_worlds::{Refusal, World, import, probe};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which conversations are compared: a part of so many parts. `ASSAY_BFCL_PART=0/1` asks for all 800.
const PART: &str = "0/50";

fn action(deed: &Deed) -> Action {
    match deed {
        Deed::Say(text) => Action { say: Some(text.clone()), ..Action::default() },
        Deed::Call { tool, arguments } => {
            let arguments = Value::Object(arguments.clone()).to_string();
            Action { calls: vec![(tool.clone(), arguments)], ..Action::default() }
        }
    }
}

/// A value without the digits in which two versions of Python differ: from 3.12 on, `sum` of floats makes no rounding errors of its own.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => format!("{:.12e}", number.as_f64().unwrap_or(0.0)).into(),
        Value::Array(items) => items.iter().map(rounded).collect(),
        Value::Object(fields) => fields.iter().map(|(key, item)| (key.clone(), rounded(item))).collect(),
        other => other.clone(),
    }
}

/// Whether two answers are the same text, or the same but for such digits.
fn is_same(ours: &Value, theirs: &Value, inexact: &mut usize) -> bool {
    let parsed = |text: &Value| text.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let is_exact = ours == theirs;
    *inexact += usize::from(!is_exact);
    is_exact || parsed(ours).zip(parsed(theirs)).is_some_and(|(ours, theirs)| rounded(&ours) == rounded(&theirs))
}

/// Whether an answer calls a function before its authors hand it out, as one of the 800 does: no agent can do that.
fn is_impossible(task: &Task) -> bool {
    let mut offered: BTreeSet<&String> = task.tools.iter().flatten().collect();
    task.said.iter().any(|turn| {
        offered.extend(&turn.tools);
        turn.gold.iter().any(|deed| matches!(deed, Deed::Call { tool, .. } if !offered.contains(tool)))
    })
}

/// Plays a task's reference actions: after every turn, the answers are the package's, and so are the objects once one of them has been used.
fn replay(world: &World, task: &Arc<Task>, peer: &Value, inexact: &mut usize) -> usize {
    let mut episode = Episode::begin(&world.definition, task, Seed(1), Profile::None).expect("it begins");
    let mut calls = 0;
    for (turn, theirs) in task.said.iter().zip(peer["turns"].as_array().expect("turns")) {
        let mut answers = Vec::new();
        for deed in &turn.gold {
            let done = episode.act(&action(deed));
            answers.extend(episode.calls(&done).iter().map(|called| Value::from(called.text.as_str())));
        }
        calls += answers.len();
        let wanted = theirs["answers"].as_array().expect("answers");
        assert_eq!(answers.len(), wanted.len(), "{}", task.id);
        for (ours, theirs) in answers.iter().zip(wanted) {
            assert!(is_same(ours, theirs, inexact), "{}: {ours} {theirs}", task.id);
        }
        let objects = theirs["objects"].as_object().expect("objects");
        for (name, object) in objects.iter().filter(|_| calls > 0) {
            let ours = episode.world().state().documents.get("python", name);
            assert_eq!(ours.map(rounded), Some(rounded(&normal(object.clone()))), "{} {name}", task.id);
        }
        episode.act(&action(&Deed::Say("Done.".to_owned())));
    }
    let judged = episode.judge().expect("it can be judged");
    assert_eq!(judged.score.value().number(), Some(1.0), "{}: {:?}", task.id, judged.why);
    calls
}

#[test]
fn answers_and_objects_are_those_of_the_package() {
    let Some((python, site)) = packages() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("bfcl");
    let engine = crate::common::engine;
    let imported = import::bfcl(&site, &out, &|| Ok(engine().clone())).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((imported.tasks, imported.tools, imported.left_out.len()), (800, 128, 0));
    let world = load(&out).unwrap_or_else(|error| panic!("{error}"));
    let lines = peer(&python, "peer_bfcl.py", &[site.join("bfcl_eval/data").to_str().expect("UTF-8")]);
    assert_eq!(lines.len(), 800);
    let part = std::env::var("ASSAY_BFCL_PART").unwrap_or_else(|_| PART.to_owned());
    let (first, step) = part.split_once('/').expect("a part of so many");
    let (first, step): (usize, usize) = (first.parse().expect("a number"), step.parse().expect("a number"));
    let (mut calls, mut inexact, mut tasks, mut impossible) = (0, 0, Vec::new(), Vec::new());
    for line in lines.iter().skip(first).step_by(step) {
        let task = world.tasks.iter().find(|task| Some(task.id.as_str()) == line["id"].as_str()).expect("it is there");
        if is_impossible(task) {
            assert!(matches!(probe(&world, task), Err(Refusal::GoldFails(_))), "{}", task.id);
            impossible.push(task.id.as_str());
            continue;
        }
        calls += replay(&world, task, line, &mut inexact);
        tasks.push(task);
        if tasks.len() % 10 == 0 {
            println!("{} conversations, {calls} calls, {inexact} that differ in a digit", tasks.len());
        }
    }
    assert!(inexact * 20 <= calls, "{inexact} of {calls} answers differ in a digit");
    let refused = tasks.iter().filter_map(|task| probe(&world, task).err().map(|why| format!("{}: {why}", task.id)));
    assert_eq!(refused.collect::<Vec<_>>(), Vec::<String>::new());
    println!(
        "{} conversations, {calls} calls, {inexact} answers that differ in a digit, impossible: {impossible:?}",
        tasks.len()
    );
}
