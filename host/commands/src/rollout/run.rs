//! What `assay rollout run` does: runs every task a number of times in a folder, and resumes an existing run.

use super::board::{Board, REDRAW};
use super::engines::{self, Models};
use super::episode::{Audience, Shared};
use super::events::Events;
use super::ledger::Origin;
use super::plan::Plan;
use super::settings::RunSettings;
use super::{ledger, plan, summary};
use crate::bench;
use crate::command_line::path_word;
use crate::face;
use crate::interrupt::{LONG, on_interrupt};
use crate::ledger::{Ledger, Place};
use crate::settings::Machine;
use crate::{Ending, Failure};
use assay_rollout::SampleRate;
use assay_rollout::ports::{BenchError, Unwatched};
use assay_rollout::run::{
    self, EpisodeRecord, FolderError, RunEnd, RunFolder, ScheduleSettings, Stop, Trouble, TroubleKind,
};
use assay_store::{Known, RunId};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::Runtime;

/// Episodes at once: beyond, address space for their sessions runs out.
const CONCURRENCY_MAX: usize = 4_096;
/// Attempts at an episode: beyond, trouble does not pass.
const ATTEMPTS_MAX: u32 = 100;
/// Changed trajectories that are named.
const CHANGED_SHOWN_MAX: usize = 5;

/// Runs every task a number of times in a folder, and resumes an existing run.
///
/// # Errors
/// Where the settings are wrong, where the budget is spent or episodes are left without a score, and where it is interrupted or the machine fails.
pub fn run(machine: &Machine, settings: &RunSettings) -> Result<Ending, Failure> {
    // Everything that the user may have got wrong comes before the first slow step.
    let schedule = schedule_settings(settings.concurrency, settings.attempts)?;
    if settings.events.as_deref() == Some(Path::new("-")) {
        return Err(Failure::usage("--events - would mix the events with the summary on standard output")
            .hint("name a file or a pipe, or another descriptor: --events /dev/fd/3 3>events.jsonl"));
    }
    let plan = plan::resolve(&settings.episode, settings.limit)?;
    let ids: Vec<String> = plan.tasks.iter().map(|task| task.id().to_owned()).collect();
    let episodes = run::plan(&ids, settings.samples, plan.seed)
        .map_err(|error| Failure::usage(error).hint("--samples takes 1 to 10000"))?;
    let budget = plan::budget(settings.budget_usd, settings.budget_tokens)?;
    if settings.dry_run {
        // Whatever is wrong with the model is said as well.
        engines::models(&plan, &settings.episode, budget, schedule.concurrency)?;
        let prices = engines::prices(settings.episode.prices.as_deref())?;
        plan.estimate(&settings.episode, settings.samples, budget).show(&prices);
        return Ok(Ending::Success);
    }
    let place = Place::to_record(&settings.recording)?;
    let record = plan.record(&settings.episode, settings.samples).keeping(SampleRate::per_mille(settings.keep_logs));
    let origin = Origin::of(settings);
    let record = record.named(RunId::now().to_string()).begun_with(origin.tasks.clone(), origin.command.clone());
    let models = engines::models(&plan, &settings.episode, budget, schedule.concurrency)?;
    let mut folder = RunFolder::open(&settings.out, &record, &episodes, settings.retry_unscored).map_err(unusable)?;

    warn_of_changes(&folder);
    let store = Ledger::open(place.as_ref());
    let result = store.recorded(ledger::about(&origin, &folder, &record), |kept| {
        // A start that finds nothing to do says nothing new of a run that has ended well.
        kept.known = if folder.pending().is_empty() { Known::KeptIfCompleted } else { Known::Replaced };
        // Also what an earlier start has done, should this one not get anywhere.
        ledger::keep(kept, &origin, &folder, episodes.len());
        let end = go(machine, settings, &plan, models, schedule, &mut folder, episodes.len())?;
        ledger::keep(kept, &origin, &folder, episodes.len());
        let records: Vec<EpisodeRecord> = folder.finished().cloned().collect();
        summary::show(&settings.out, &settings.episode.model, episodes.len(), &records, settings.format)?;
        conclude(&settings.out, end, &records, episodes.len())
    });
    store.close();
    result
}

/// Runs what is pending.
fn go(
    machine: &Machine,
    settings: &RunSettings,
    plan: &Plan,
    models: Models,
    schedule: ScheduleSettings,
    folder: &mut RunFolder,
    planned: usize,
) -> Result<RunEnd, Failure> {
    let runtime = runtime()?;
    let stop = stop_on_interrupt(
        "\ninterrupted: discarding running episodes, keeping finished ones and those that are being graded (press again to stop immediately)",
    );
    let events = settings.events.as_deref().map(Events::begin).transpose();
    let events = events.map_err(|error| Failure::infrastructure(format!("failed to start a thread: {error}")))?;
    let board = Board::new(planned, folder.finished().cloned().collect(), events);
    if folder.pending().is_empty() {
        board.finish();
        return Ok(RunEnd::Complete);
    }
    let guard = runtime.enter();
    let (concurrency, outputs) = (schedule.concurrency, folder.outputs());
    let bench = engines::bench(machine, plan, &settings.episode, concurrency, &outputs, board.waits())?;
    drop(guard);
    let Some(python) = engines::python(&runtime, &stop, machine, plan, concurrency)? else {
        board.finish();
        return Ok(RunEnd::Stopped);
    };
    let agents = Some(engines::agents(models, python, &settings.episode)?);
    let shared = Shared::new(plan, bench, agents, run_name(&settings.out), board.bench_news());
    let end = drive(&runtime, folder, schedule, &shared, &board, &stop);
    board.finish();
    close(runtime, shared);
    Ok(end)
}

/// How a run is driven.
pub(crate) fn schedule_settings(concurrency: usize, attempts: u32) -> Result<ScheduleSettings, Failure> {
    let at_once = NonZeroUsize::new(concurrency).filter(|wanted| wanted.get() <= CONCURRENCY_MAX);
    let at_once = at_once.ok_or_else(|| {
        Failure::usage(format!("--concurrency {concurrency} is out of range"))
            .hint(format!("use 1 to {CONCURRENCY_MAX}"))
    })?;
    if !(1..=ATTEMPTS_MAX).contains(&attempts) {
        return Err(
            Failure::usage(format!("--attempts {attempts} is out of range")).hint(format!("use 1 to {ATTEMPTS_MAX}"))
        );
    }
    Ok(ScheduleSettings { concurrency: at_once, attempts })
}

/// What the first Ctrl-C asks for; the second ends the process.
pub(crate) fn stop_on_interrupt(said: &'static str) -> Stop {
    let stop = Stop::new();
    let asked = stop.clone();
    on_interrupt(said, LONG, move || asked.stop());
    stop
}

/// Threads for everything that waits; cells have their own.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    run::runtime().map_err(|error| Failure::infrastructure(format!("failed to start threads: {error}")))
}

pub(crate) fn unusable(error: FolderError) -> Failure {
    match &error {
        FolderError::Io { .. } | FolderError::Journal(run::JournalError::Io { .. }) => Failure::infrastructure(error)
            .hint("check that the disk is not full and that you can write there, or name another folder with --out"),
        _ => super::usage(&error, error.hint().as_deref()),
    }
}

/// Says which finished episodes can no longer be looked at as they were.
fn warn_of_changes(folder: &RunFolder) {
    let changed = folder.changed();
    if changed.is_empty() {
        return;
    }
    let named: Vec<&str> = changed.iter().take(CHANGED_SHOWN_MAX).map(String::as_str).collect();
    let more = if changed.len() > named.len() { ", …" } else { "" };
    face::warn(&format!(
        "the trajectories of {} finished episodes are missing or have changed since: {}{more}; their results are kept as they are",
        changed.len(),
        named.join(", "),
    ));
}

/// What records call the run: the name of its folder.
pub(super) fn run_name(folder: &Path) -> String {
    let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    name.unwrap_or_else(|| folder.display().to_string())
}

/// Lets go of the engines and the threads; what undone episodes left there is taken away first, as far as that does not take too long.
pub(super) fn close(runtime: Runtime, shared: Arc<Shared>) {
    runtime.block_on(bench::close(shared.close()));
    runtime.shutdown_timeout(bench::SHUTDOWN);
}

pub(super) fn drive(
    runtime: &Runtime,
    folder: &mut RunFolder,
    settings: ScheduleSettings,
    shared: &Arc<Shared>,
    board: &Arc<Board>,
    stop: &Stop,
) -> RunEnd {
    let episode = |spec: run::EpisodeSpec, work, files| {
        let audience = Audience { supervisor: Arc::new(Unwatched), observer: board.observer(&spec.id()) };
        Arc::clone(shared).episode(spec, work, files, audience)
    };
    let (drawn, asked) = (Arc::clone(board), stop.clone());
    let drawing = runtime.spawn(async move {
        let mut ticks = tokio::time::interval(REDRAW);
        loop {
            ticks.tick().await;
            drawn.draw(asked.is_asked());
        }
    });
    let end = runtime.block_on(run::run(folder, settings, episode, &**board, stop));
    drawing.abort();
    end
}

/// How it ended, and what to do.
pub(crate) fn conclude(out: &Path, end: RunEnd, records: &[EpisodeRecord], planned: usize) -> Result<Ending, Failure> {
    let kept = format!("{} of {planned} episodes are finished and kept", records.len());
    match end {
        RunEnd::Complete => {}
        RunEnd::Stopped => {
            return Err(Failure {
                ending: Ending::Interrupted,
                message: format!("interrupted: {kept}"),
                hint: Some("repeat the command to resume".to_owned()),
            });
        }
        RunEnd::Failed(Trouble { kind: TroubleKind::Budget, why, .. }) => {
            let left = planned.saturating_sub(records.len());
            let hint = format!("repeat the command to run the other {left}, with a budget for them");
            return Err(Failure::usage(format!("the budget is spent: {kept} ({why})")).hint(hint));
        }
        RunEnd::Failed(trouble) => {
            let hint = trouble.hint.unwrap_or_else(|| "fix this, then repeat the command to resume".to_owned());
            return Err(Failure::usage(format!("the run cannot continue: {}; {kept}", trouble.why)).hint(hint));
        }
        RunEnd::Unkept(why) => {
            return Err(Failure::infrastructure(format!("{why}; {kept}"))
                .hint("free some disk space, then repeat the command to resume"));
        }
    }
    let unscored: Vec<&EpisodeRecord> = records.iter().filter(|record| record.reward().is_none()).collect();
    let Some(first) = unscored.first() else { return Ok(Ending::Success) };
    face::step("Results", &out.join(run::JOURNAL_NAME).display().to_string());
    Err(Failure {
        ending: Ending::Infrastructure,
        message: format!("{} of {planned} episodes have no score: {}", unscored.len(), first.reason),
        hint: Some(hint_for(&first.reason, out, "repeat the command with --retry-unscored")),
    })
}

/// What to do about episodes without a score; `otherwise` is what to do where the work itself was not done.
pub(super) fn hint_for(reason: &str, out: &Path, otherwise: &str) -> String {
    let no_engine = BenchError::NoEngine { why: String::new() };
    let first = match no_engine.hint() {
        Some(hint) if reason.contains("no test engine") => format!("{hint}; "),
        _ => String::new(),
    };
    let is_bench = ["test engine", "test bench"].iter().any(|words| reason.contains(words));
    let again = if is_bench {
        format!("`assay rollout grade {}` then grades what the model did, without asking it again", path_word(out))
    } else {
        otherwise.to_owned()
    };
    format!("{first}this says nothing about the model: {again}")
}
