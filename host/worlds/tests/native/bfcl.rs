//! The Berkeley Function-Calling Leaderboard's conversations beside the published package: the answers of every call, and the objects after every turn.

use crate::common::{load, packages, peer};
use assay_model::Seed;
use assay_world::value::normal;
use assay_world::{Action, Deed, Episode, Profile, Task};
use assay_worlds::{World, import, probe};
use serde_json::Value;
use std::sync::Arc;

/// Of so many conversations one is compared; `ASSAY_BFCL_ALL` asks for all 800.
const ONE_OF: usize = 25;

fn action(deed: &Deed) -> Action {
    match deed {
        Deed::Say(text) => Action { say: Some(text.clone()), ..Action::default() },
        Deed::Call { tool, arguments } => {
            let arguments = Value::Object(arguments.clone()).to_string();
            Action { calls: vec![(tool.clone(), arguments)], ..Action::default() }
        }
    }
}

/// Plays a task's reference actions: after every turn, the answers are the package's, and so are the objects once one of them has been used.
fn replay(world: &World, task: &Arc<Task>, peer: &Value) -> usize {
    let mut episode = Episode::begin(&world.definition, task, Seed(1), Profile::None).expect("it begins");
    let mut calls = 0;
    for (turn, theirs) in task.said.iter().zip(peer["turns"].as_array().expect("turns")) {
        let mut answers = Vec::new();
        for deed in &turn.gold {
            let done = episode.act(&action(deed));
            answers.extend(episode.calls(&done).iter().map(|called| Value::from(called.text.as_str())));
        }
        calls += answers.len();
        assert_eq!(Value::from(answers), theirs["answers"], "{}", task.id);
        let objects = theirs["objects"].as_object().expect("objects");
        for (name, object) in objects.iter().filter(|_| calls > 0) {
            let ours = episode.world().state().documents.get("python", name);
            assert_eq!(ours, Some(&normal(object.clone())), "{} {name}", task.id);
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
    let step = if std::env::var_os("ASSAY_BFCL_ALL").is_some() { 1 } else { ONE_OF };
    let mut calls = 0;
    for line in lines.iter().step_by(step) {
        let task = world.tasks.iter().find(|task| Some(task.id.as_str()) == line["id"].as_str()).expect("it is there");
        calls += replay(&world, task, line);
    }
    assert!(step > 1 || calls == 4_625, "{calls} calls");
    let admitted = world.tasks.iter().step_by(step).filter(|task| probe(&world, task).is_ok()).count();
    assert_eq!(admitted, world.tasks.len().div_ceil(step));
}
