//! What `assay trace replay` does: runs an episode's code again, with the model's words as they were recorded, and compares every state.

use super::load;
use crate::settings::Machine;
use crate::{Ending, Failure, bench, chain, face, rollout, tasks};
use assay_rollout::files;
use assay_rollout::replay::{ReplayError, Replayed, replay, replay_to};
use assay_rollout::task::LoadedTask;
use assay_trace::Trajectory;
use assay_tree::Tree;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use tokio::runtime::Runtime;

/// An episode, and what of it is run again.
#[derive(Clone, Debug)]
pub struct ReplaySettings {
    /// The trajectory.
    pub file: PathBuf,
    /// The tasks of the run: they contain the files that the episode started with.
    pub tasks: PathBuf,
    /// Only up to this step, after which the files are written as JSON.
    pub files_at: Option<usize>,
    /// With `files_at`: a file whose text is written, too.
    pub show: Option<String>,
    /// The container engine; otherwise the local one.
    pub docker_url: Option<String>,
    /// Cache for repositories taken from images; otherwise in the machine's.
    pub image_cache: Option<PathBuf>,
}

/// Runs an episode's code again and compares every state with the record; all are equal, or the ending says that they are not.
///
/// # Errors
///
/// Where the episode or its task cannot be read, the episode cannot be played, or the machine fails.
pub fn run(machine: &Machine, settings: &ReplaySettings) -> Result<Ending, Failure> {
    let named = load(&settings.file)?;
    let is_damaged = named.loaded.damage.is_some();
    if let Some(damage) = &named.loaded.damage {
        face::warn(&format!("{}: {damage}; the intact part is replayed", named.name));
    }
    let trajectory = named.loaded.trajectory;
    let task = task_of(&trajectory, &settings.tasks)?;
    let runtime = rollout::runtime()?;
    let python = rollout::open_sessions(machine, 1, NonZeroUsize::MIN)?;
    warn_of_other_python(&trajectory, &python.hash);
    let base = base(machine, settings, &runtime, &task)?;
    if let Some(step) = settings.files_at {
        let replayed = runtime.block_on(replay_to(&trajectory, &base, &*python.sessions, step)).map_err(unplayable)?;
        return files(&trajectory, &base, replayed, settings);
    }
    // What is left of a cut or changed record may well be equal; the record is not the episode for all that.
    let mut ending = if is_damaged { Ending::Rejected } else { Ending::Success };
    // An episode, then those that it sent off, and theirs: their files lie beside it.
    let mut open = vec![(settings.file.clone(), Some(trajectory), base)];
    while let Some((path, trajectory, base)) = open.pop() {
        // One is held at a time.
        let trajectory = match trajectory {
            Some(trajectory) => trajectory,
            None => load(&path)?.loaded.trajectory,
        };
        let replayed = runtime.block_on(replay(&trajectory, &base, &*python.sessions)).map_err(unplayable)?;
        face::out(&face::visible(&format!("{}: {}", path.display(), finding(&replayed))));
        if replayed.divergence.is_some() {
            ending = Ending::Rejected;
            continue;
        }
        for (id, base) in replayed.sub_agents {
            let path = beside(&path, id.as_str());
            match path.exists() {
                true => open.push((path, None, base)),
                false => face::warn(&format!("{} does not exist, so that sub-agent is not replayed", path.display())),
            }
        }
    }
    Ok(ending)
}

fn unplayable(error: ReplayError) -> Failure {
    match error {
        ReplayError::NotOurs { .. } => Failure::usage(error),
        ReplayError::Session(_) => Failure::infrastructure(chain(&error)),
    }
}

/// The files after a step, as JSON. A replay that differs from the record has none to show.
fn files(
    trajectory: &Trajectory,
    base: &Tree,
    (replayed, before): (Replayed, Tree),
    settings: &ReplaySettings,
) -> Result<Ending, Failure> {
    if let Some(divergence) = &replayed.divergence {
        return Err(Failure::usage(format!("the episode does not come out as it was recorded: {divergence}")));
    }
    let (steps, file) = (trajectory.steps(), settings.show.as_deref());
    let step = settings.files_at.unwrap_or(steps).min(steps);
    let view = files::view((base, &before, &replayed.tree), (step, steps), file);
    face::out_json(&serde_json::to_string(&view).map_err(Failure::infrastructure)?);
    Ok(Ending::Success)
}

/// Fuel and output are the same on the same interpreter only.
fn warn_of_other_python(trajectory: &Trajectory, hash: &str) {
    // Records of earlier versions do not say.
    let recorded = trajectory.metadata().hashes.get(rollout::PYTHON_HASH);
    if recorded.is_some_and(|recorded| recorded != hash) {
        face::warn("the episode ran on another build of the Python interpreter, which may explain differences");
    }
}

fn finding(replayed: &Replayed) -> String {
    let Replayed { cells, calls, states, divergence, was_interrupted, .. } = replayed;
    match divergence {
        Some(divergence) => format!("differs at {divergence}"),
        None => {
            let interrupted =
                if *was_interrupted { "; up to a cell that was cut off when it was recorded" } else { "" };
            format!("equal: {cells} cells, {calls} calls, {states} state hashes{interrupted}")
        }
    }
}

/// The task that a trajectory is of.
fn task_of(trajectory: &Trajectory, tasks: &Path) -> Result<LoadedTask, Failure> {
    let id = &trajectory.metadata().scenario;
    let found = tasks::load(tasks)?.into_iter().find(|task| task.id() == id);
    found.ok_or_else(|| {
        Failure::usage(format!("the trajectory belongs to the task {id:?}, which is not in {}", tasks.display()))
            .hint("name the tasks that the run used")
    })
}

/// The files that the episode began with.
fn base(machine: &Machine, settings: &ReplaySettings, runtime: &Runtime, task: &LoadedTask) -> Result<Tree, Failure> {
    let outputs = tempfile::tempdir()
        .map_err(|error| Failure::infrastructure(format!("failed to make a temporary folder: {error}")))?;
    runtime.block_on(async {
        let cache = settings.image_cache.clone().unwrap_or_else(|| machine.cache.join("images"));
        let bench = rollout::open_bench(
            bench::engine(settings.docker_url.as_deref())?,
            (cache, None),
            outputs.path(),
            [task],
            NonZeroUsize::MIN,
            bench::Waits::default(),
        )?;
        let workspace = task.workspace(&bench).await;
        bench.close().await;
        workspace.map(|workspace| workspace.base().fork()).map_err(Failure::infrastructure)
    })
}

fn beside(path: &Path, id: &str) -> PathBuf {
    path.with_file_name(format!("{id}.jsonl"))
}
