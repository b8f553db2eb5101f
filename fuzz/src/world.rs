//! World folders from strangers: tools, data, tasks, and what an agent may call in them.

use assay_model::Seed;
use assay_world::{Action, Definition, Episode, Profile, Task};
use assay_worlds::load;
use std::fs;
use std::sync::Arc;

/// What begins a file in an input: this, its name, and the end of the line.
const MARK: &str = "=== ";
/// The files that an input may have; others are left out, for a name is not what is tried here.
const NAMES: [&str; 9] = [
    "world.toml",
    "policy.md",
    "mail.json",
    "data/a.json",
    "data/payments.json",
    "databases/d.sql",
    "files/f.txt",
    "tasks/t.toml",
    "tasks/u.toml",
];
/// What is tried of a world: more would only take longer.
const TASKS_MAX: usize = 2;
const TOOLS_MAX: usize = 6;
/// Turns of an episode here.
const TURNS_MAX: u32 = 12;

/// A folder in one text. What loads can be played: every call has an answer, the same each time, and the episode a score or a reason for none.
pub fn world(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let home = tempfile::tempdir().expect("a temporary folder");
    for folder in ["data", "databases", "files", "tasks"] {
        fs::create_dir(home.path().join(folder)).expect("made");
    }
    fs::write(home.path().join("policy.md"), "Do it.").expect("written");
    for file in text.split(MARK).skip(1) {
        let (name, content) = file.split_once('\n').unwrap_or((file, ""));
        if NAMES.contains(&name) {
            fs::write(home.path().join(name), content).expect("written");
        }
    }
    match load(home.path()) {
        Ok(world) => world.tasks.iter().take(TASKS_MAX).for_each(|task| twice(&world.definition, task)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The same episode, two times.
fn twice(world: &Definition, task: &Arc<Task>) {
    let task = Arc::new(Task { turns: task.turns.min(TURNS_MAX), ..(**task).clone() });
    for faults in [Profile::None, Profile::Rough] {
        assert_eq!(play(world, &task, faults), play(world, &task, faults), "the same actions came out otherwise");
    }
}

/// What every tool answers to nothing, and to what the reference actions say, with the states on the way.
fn play(world: &Definition, task: &Arc<Task>, faults: Profile) -> Vec<String> {
    let Ok(mut episode) = Episode::begin(world, task, Seed(1), faults) else { return Vec::new() };
    let _ = episode.rehearse();
    let mut seen = vec![episode.opening()];
    let nothing = world.tools.keys().take(TOOLS_MAX).map(|name| (name.clone(), "{}".to_owned()));
    let gold = task.gold.iter().take(TOOLS_MAX).filter_map(|deed| match deed {
        assay_world::Deed::Call { tool, arguments } => {
            Some((tool.clone(), serde_json::Value::Object(arguments.clone()).to_string()))
        }
        assay_world::Deed::Say(_) => None,
    });
    for call in nothing.chain(gold) {
        let before = episode.world().state().fork();
        let turn = episode.act(&Action { calls: vec![call], ..Action::default() });
        for called in episode.calls(&turn) {
            assert!(called.was_done || called.result.is_err(), "an answer to what was not done: {}", called.text);
            seen.push(called.text.clone());
        }
        let _ = before.changes(episode.world().state());
        seen.push(episode.world().state().hash().root().to_string());
    }
    episode.act(&Action { say: Some("It is done.".to_owned()), stop: true, ..Action::default() });
    seen.push(match episode.judge() {
        Ok(judged) => format!("{:?} {:?}", judged.score.value(), judged.why),
        Err(error) => error.to_string(),
    });
    seen
}
