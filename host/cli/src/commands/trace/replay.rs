//! `assay trace replay`: runs an episode's code again, with the model's words as they were recorded, and compares every state.

use super::load;
use crate::args::ReplayArgs;
use crate::bench;
use crate::commands::{rollout, tasks};
use crate::exit::{Exit, Failure, chain};
use crate::settings::Machine;
use crate::ui;
use assay_rollout::files;
use assay_rollout::replay::{ReplayError, Replayed, replay, replay_to};
use assay_rollout::task::LoadedTask;
use assay_trace::Trajectory;
use assay_tree::Tree;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use tokio::runtime::Runtime;

pub(super) fn run(machine: &Machine, args: &ReplayArgs) -> Result<Exit, Failure> {
    let named = load(&args.file)?;
    let is_damaged = named.loaded.damage.is_some();
    if let Some(damage) = &named.loaded.damage {
        ui::warn(&format!("{}: {damage}; the intact part is replayed", named.name));
    }
    let trajectory = named.loaded.trajectory;
    let task = task_of(&trajectory, &args.tasks)?;
    let runtime = rollout::runtime()?;
    let python = rollout::open_sessions(machine, 1, NonZeroUsize::MIN)?;
    warn_of_other_python(&trajectory, &python.hash);
    let base = base(machine, args, &runtime, &task)?;
    if let Some(step) = args.files_at {
        let replayed = runtime.block_on(replay_to(&trajectory, &base, &*python.sessions, step)).map_err(unplayable)?;
        return files(&trajectory, &base, replayed, args);
    }
    // What is left of a cut or changed record may well be equal; the record is not the episode for all that.
    let mut exit = if is_damaged { Exit::Rejected } else { Exit::Success };
    // An episode, then those that it sent off, and theirs: their files lie beside it.
    let mut open = vec![(args.file.clone(), trajectory, base)];
    while let Some((path, trajectory, base)) = open.pop() {
        let replayed = runtime.block_on(replay(&trajectory, &base, &*python.sessions)).map_err(unplayable)?;
        ui::out(&ui::visible(&format!("{}: {}", path.display(), finding(&replayed))));
        if replayed.divergence.is_some() {
            exit = Exit::Rejected;
            continue;
        }
        for (id, base) in replayed.sub_agents {
            let path = beside(&path, id.as_str());
            match path.exists() {
                true => open.push((path.clone(), load(&path)?.loaded.trajectory, base)),
                false => ui::warn(&format!("{} does not exist, so that sub-agent is not replayed", path.display())),
            }
        }
    }
    Ok(exit)
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
    args: &ReplayArgs,
) -> Result<Exit, Failure> {
    if let Some(divergence) = &replayed.divergence {
        return Err(Failure::usage(format!("the episode does not come out as it was recorded: {divergence}")));
    }
    let (steps, file) = (trajectory.steps(), args.show.as_deref());
    let step = args.files_at.unwrap_or(steps).min(steps);
    let view = files::view((base, &before, &replayed.tree), (step, steps), file);
    ui::out(&serde_json::to_string(&view).map_err(Failure::infrastructure)?);
    Ok(Exit::Success)
}

/// Fuel and output are the same on the same interpreter only.
fn warn_of_other_python(trajectory: &Trajectory, hash: &str) {
    // Records of earlier versions do not say.
    let recorded = trajectory.metadata().hashes.get(rollout::PYTHON_HASH);
    if recorded.is_some_and(|recorded| recorded != hash) {
        ui::warn("the episode ran on another build of the Python interpreter, which may explain differences");
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
fn base(machine: &Machine, args: &ReplayArgs, runtime: &Runtime, task: &LoadedTask) -> Result<Tree, Failure> {
    let outputs = tempfile::tempdir()
        .map_err(|error| Failure::infrastructure(format!("failed to make a temporary folder: {error}")))?;
    runtime.block_on(async {
        let cache = args.image_cache.clone().unwrap_or_else(|| machine.cache.join("images"));
        let bench = rollout::open_bench(
            bench::engine(args.docker_url.as_deref())?,
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
