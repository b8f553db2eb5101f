//! What the tests of worlds share: the example world, and episodes whose records stay in memory.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use assay_model::Seed;
use assay_rollout::ports::{Sink, SinkError, Sinks};
use assay_rollout::run::EpisodeSpec;
use assay_trace::{Metadata, Record};
use assay_world::{Judged, Profile, Task};
use assay_worlds::agents::{Agent, Agents};
use assay_worlds::{Start, World, load, run};
use futures::executor::block_on;
use futures::future::BoxFuture;

/// The example worlds.
pub(crate) const EXAMPLES: [&str; 3] = ["support-desk", "release-engineer", "accounts-clerk"];

pub(crate) fn example(name: &str) -> Arc<World> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/worlds").join(name);
    Arc::new(load(&path).unwrap_or_else(|error| panic!("{error}")))
}

pub(crate) fn desk() -> Arc<World> {
    example("support-desk")
}

/// Files of a world: name and content.
pub(crate) type Files<'f> = &'f [(&'f str, &'f str)];

/// A world of these files.
pub(crate) fn world(files: Files<'_>) -> World {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in [("policy.md", "Do it.")].iter().chain(files) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, content).expect("written");
    }
    load(folder.path()).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn task(world: &World, id: &str) -> Arc<Task> {
    Arc::clone(world.tasks.iter().find(|task| task.id == id).expect("the task is there"))
}

/// Records in memory.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Vec<Record>>>);

impl Sinks for Memory {
    fn begin(&self, _: Metadata) -> BoxFuture<'_, Result<Box<dyn Sink>, SinkError>> {
        Box::pin(async { Ok(Box::new(self.clone()) as Box<dyn Sink>) })
    }
}

impl Sink for Memory {
    fn append(&mut self, records: Vec<Record>) -> BoxFuture<'_, Result<(), SinkError>> {
        self.0.lock().expect("not poisoned").extend(records);
        Box::pin(async { Ok(()) })
    }
}

/// An episode with an agent: what it came to, and its records.
pub(crate) fn episode(
    world: &Arc<World>,
    task: &Arc<Task>,
    agents: &dyn Agents,
    seed: u64,
    faults: Profile,
) -> (Judged, Vec<Record>) {
    block_on(attempt(world, task, &mut *agents.agent(task, 1), seed, faults))
}

/// The same with any agent, in the caller's runtime.
pub(crate) async fn attempt(
    world: &Arc<World>,
    task: &Arc<Task>,
    agent: &mut dyn Agent,
    seed: u64,
    faults: Profile,
) -> (Judged, Vec<Record>) {
    let spec = EpisodeSpec { task: task.id.clone(), sample: 1, attempt: 1, seed: Seed(seed) };
    let (world, task, name) = (Arc::clone(world), Arc::clone(task), "agent".to_owned());
    let start = Start { world, task, spec, faults, agent: name, run: None };
    let memory = Memory::default();
    let judged = run(&start, agent, &memory, None).await.expect("no infrastructure to fail");
    let records = memory.0.lock().expect("not poisoned").clone();
    (judged, records)
}
