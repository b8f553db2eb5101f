//! What `assay rollout grade` does: the scores that a test engine owes a run, from what its episodes have left. No model is asked.

use super::board::Board;
use super::episode::Shared;
use super::ledger::{self, Origin};
use super::plan::{self, Plan};
use super::settings::GradeSettings;
use super::{engines, run as run_command, summary};
use crate::bench;
use crate::face;
use crate::ledger::{Ledger, Place};
use crate::settings::Machine;
use crate::tasks;
use crate::{Ending, Failure};
use assay_grade::rule::Rule;
use assay_model::Seed;
use assay_rollout::Settings;
use assay_rollout::run::{self, EpisodeRecord, RunEnd, RunFolder, RunRecord, ScheduleSettings};
use assay_rollout::task::LoadedTask;
use assay_store::Known;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::sync::Arc;

/// Grades the episodes of a run whose work is done and whose files have no score.
///
/// # Errors
/// Where the settings are wrong, where episodes are left without a score, and where it is interrupted or the machine fails.
pub fn grade(machine: &Machine, settings: &GradeSettings) -> Result<Ending, Failure> {
    let schedule = run_command::schedule_settings(settings.concurrency, settings.attempts)?;
    let record = RunRecord::read(&settings.run).map_err(run_command::unusable)?;
    let source = settings.tasks.as_deref().or(record.source()).ok_or_else(|| {
        Failure::usage(format!("the run in {} does not say where its tasks are", settings.run.display()))
            .hint("name them: --tasks PATH")
    })?;
    let loaded = tasks_of(&record, source)?;
    let ids: Vec<String> = loaded.iter().map(|task| task.id().to_owned()).collect();
    let (samples, seed, rule): (u32, Seed, Rule) =
        (setting(&record, "samples")?, setting(&record, "seed")?, setting(&record, "rule")?);
    let plan = Plan {
        tasks: loaded,
        digests: record.tasks.clone(),
        settings: Settings::standard(),
        grading: bench::grading(rule)?,
        seed,
        engine: bench::engine(settings.docker_url.as_deref())?,
    };
    let episodes = run::plan(&ids, samples, plan.seed).map_err(Failure::usage)?;
    let place = Place::to_record(&settings.recording)?;
    let mut folder = RunFolder::open(&settings.run, &record, &episodes, true).map_err(run_command::unusable)?;
    folder.only_grade();
    if folder.pending().is_empty() {
        face::note("no episode has anything left to grade");
    }

    let model: String = setting(&record, "model")?;
    let command = record.command().unwrap_or_default().to_owned();
    let origin = Origin { model, tasks: source.to_owned(), command };
    let store = Ledger::open(place.as_ref());
    let result = store.recorded(ledger::about(&origin, &folder, &record), |kept| {
        kept.known = if folder.pending().is_empty() { Known::KeptIfCompleted } else { Known::Replaced };
        let end = go(machine, settings, &plan, schedule, &mut folder, episodes.len())?;
        ledger::keep(kept, &origin, &folder, episodes.len());
        let records: Vec<EpisodeRecord> = folder.finished().cloned().collect();
        summary::show(&settings.run, &origin.model, episodes.len(), &records, settings.format)?;
        run_command::conclude(&settings.run, end, &records, episodes.len())
    });
    store.close();
    result
}

/// Grades what is pending.
fn go(
    machine: &Machine,
    settings: &GradeSettings,
    plan: &Plan,
    schedule: ScheduleSettings,
    folder: &mut RunFolder,
    planned: usize,
) -> Result<RunEnd, Failure> {
    if folder.pending().is_empty() {
        return Ok(RunEnd::Complete);
    }
    let runtime = run_command::runtime()?;
    let stop =
        run_command::stop_on_interrupt("\ninterrupted: what is graded is kept (press again to stop immediately)");
    let board = Board::new(planned, folder.finished().cloned().collect(), None);
    let cache = settings.image_cache.clone().unwrap_or_else(|| machine.cache.join("images"));
    let tasks = plan.tasks.iter().map(|task| &**task);
    let guard = runtime.enter();
    let images = (cache, settings.images_max);
    let (engine, outputs) = (plan.engine.clone(), folder.outputs());
    let bench = engines::open_bench(engine, images, &outputs, tasks, schedule.concurrency, board.waits())?;
    drop(guard);
    let name = run_command::run_name(&settings.run);
    let shared = Shared::new(plan, Arc::new(bench), None, name, board.bench_news());
    let end = run_command::drive(&runtime, folder, schedule, &shared, &board, &stop);
    board.finish();
    run_command::close(runtime, shared);
    Ok(end)
}

/// The run's tasks, as they were when it began.
fn tasks_of(record: &RunRecord, source: &Path) -> Result<Vec<Arc<LoadedTask>>, Failure> {
    let mut loaded = tasks::load(source)?;
    loaded.retain(|task| record.tasks.contains_key(task.id()));
    let changed = loaded.iter().find(|task| record.tasks.get(task.id()) != Some(&plan::digest(task)));
    if let Some(task) = changed {
        return Err(Failure::usage(format!("the task {} has changed since the run began", task.id()))
            .hint("a score for other tests would mean nothing: restore the task as it was"));
    }
    if loaded.len() < record.tasks.len() {
        let missing = record.tasks.keys().find(|id| loaded.iter().all(|task| task.id() != id.as_str()));
        let missing = missing.map_or("", String::as_str);
        return Err(Failure::usage(format!("the task {missing} of the run is not in {}", source.display()))
            .hint("name the tasks of the run: --tasks PATH"));
    }
    Ok(loaded.into_iter().map(Arc::new).collect())
}

/// A setting that the run began with.
fn setting<T: DeserializeOwned>(record: &RunRecord, name: &str) -> Result<T, Failure> {
    let value = record.settings.get(name).cloned().unwrap_or_default();
    serde_json::from_value(value)
        .map_err(|error| Failure::usage(format!("the run.json of the run has no valid {name:?}: {error}")))
}
