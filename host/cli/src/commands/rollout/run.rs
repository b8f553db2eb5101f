//! `assay rollout run`: runs every task a number of times in a folder, and resumes an existing run.

use super::board::{Board, REDRAW};
use super::engines::{self, Models};
use super::episode::{Audience, Shared};
use super::plan::Plan;
use super::{ledger, plan, summary};
use crate::args::RolloutRunArgs;
use crate::commands::interrupt::{LONG, on_interrupt};
use crate::exit::{Exit, Failure};
use crate::settings::Machine;
use crate::store::{Ledger, Place};
use crate::ui;
use assay_rollout::SampleRate;
use assay_rollout::ports::{BenchError, Unwatched};
use assay_rollout::run::{self, EpisodeRecord, FolderError, RunEnd, RunFolder, ScheduleSettings, Stop};
use assay_store::{Known, RunId};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// Episodes at once: beyond, address space for their sessions runs out.
const CONCURRENCY_MAX: usize = 4_096;
/// Attempts at an episode: beyond, trouble does not pass.
const ATTEMPTS_MAX: u32 = 100;
/// Changed trajectories that are named.
const CHANGED_SHOWN_MAX: usize = 5;
/// How long undone episodes may take to let go of their containers.
const SHUTDOWN: Duration = Duration::from_secs(20);

pub(super) fn run(machine: &Machine, args: &RolloutRunArgs) -> Result<Exit, Failure> {
    // Everything that the user may have got wrong comes before the first slow step.
    let settings = schedule_settings(args)?;
    let plan = plan::resolve(&args.episode, args.limit)?;
    let ids: Vec<String> = plan.tasks.iter().map(|task| task.id().to_owned()).collect();
    let episodes = run::plan(&ids, args.samples, plan.seed)
        .map_err(|error| Failure::usage(error).hint("--samples takes 1 to 10000"))?;
    let budget = args.budget_usd.map(|dollars| plan::microdollars("--budget-usd", dollars)).transpose()?;
    let place = Place::to_record(&args.recording)?;
    let record = plan.record(&args.episode, args.samples).keeping(SampleRate::per_mille(args.keep_logs));
    let record = record.named(RunId::now().to_string());
    let models = engines::models(&plan, &args.episode, budget, settings.concurrency)?;
    let mut folder = RunFolder::open(&args.out, &record, &episodes, args.retry_unscored).map_err(unusable)?;

    warn_of_changes(&folder);
    let store = Ledger::open(place.as_ref());
    let result = store.recorded(ledger::about(args, &folder, &record), |kept| {
        // A start that finds nothing to do says nothing new of a run that has ended well.
        kept.known = if folder.pending().is_empty() { Known::KeptIfCompleted } else { Known::Replaced };
        // Also what an earlier start has done, should this one not get anywhere.
        ledger::keep(kept, args, &folder, episodes.len());
        let end = go(machine, args, &plan, models, settings, &mut folder, episodes.len())?;
        ledger::keep(kept, args, &folder, episodes.len());
        let records: Vec<EpisodeRecord> = folder.finished().cloned().collect();
        summary::show(&args.out, &args.episode.model, episodes.len(), &records, args.format)?;
        conclude(args, end, &records, episodes.len())
    });
    store.close();
    result
}

/// Runs what is pending.
fn go(
    machine: &Machine,
    args: &RolloutRunArgs,
    plan: &Plan,
    models: Models,
    settings: ScheduleSettings,
    folder: &mut RunFolder,
    planned: usize,
) -> Result<RunEnd, Failure> {
    let runtime = runtime()?;
    let stop = Stop::new();
    let asked = stop.clone();
    on_interrupt(
        "\ninterrupted: discarding running episodes, keeping finished ones (press again to stop immediately)",
        LONG,
        move || {
            asked.stop();
        },
    );
    let board = Board::new(planned, folder.finished().cloned().collect());
    let end = if folder.pending().is_empty() {
        RunEnd::Complete
    } else {
        let guard = runtime.enter();
        let engines = engines::open(machine, plan, &args.episode, models, settings.concurrency, &folder.outputs())?;
        drop(guard);
        let shared = Shared::new(plan, engines, run_name(&args.out));
        let end = drive(&runtime, folder, settings, &shared, &board, &stop);
        close(&runtime, shared);
        end
    };
    board.finish();
    runtime.shutdown_timeout(SHUTDOWN);
    Ok(end)
}

fn schedule_settings(args: &RolloutRunArgs) -> Result<ScheduleSettings, Failure> {
    let concurrency = NonZeroUsize::new(args.concurrency).filter(|wanted| wanted.get() <= CONCURRENCY_MAX);
    let concurrency = concurrency.ok_or_else(|| {
        Failure::usage(format!("--concurrency {} is out of range", args.concurrency))
            .hint(format!("use 1 to {CONCURRENCY_MAX}"))
    })?;
    if !(1..=ATTEMPTS_MAX).contains(&args.attempts) {
        return Err(Failure::usage(format!("--attempts {} is out of range", args.attempts))
            .hint(format!("use 1 to {ATTEMPTS_MAX}")));
    }
    Ok(ScheduleSettings { concurrency, attempts: args.attempts })
}

/// Threads for everything that waits; cells have their own.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    run::runtime().map_err(|error| Failure::infrastructure(format!("failed to start threads: {error}")))
}

pub(super) fn unusable(error: FolderError) -> Failure {
    match &error {
        FolderError::Io { .. } | FolderError::Journal(run::JournalError::Io { .. }) => Failure::infrastructure(error)
            .hint("check that the disk is not full and that you can write there, or name another folder with --out"),
        _ => super::usage(&error, error.hint()),
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
    ui::warn(&format!(
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

/// Lets go of the engines; what undone episodes left there is taken away first, as far as that does not take too long.
pub(super) fn close(runtime: &Runtime, shared: Arc<Shared>) {
    // Where it takes longer, the next start takes the rest away.
    let _ = runtime.block_on(async { tokio::time::timeout(SHUTDOWN, shared.close()).await });
}

fn drive(
    runtime: &Runtime,
    folder: &mut RunFolder,
    settings: ScheduleSettings,
    shared: &Arc<Shared>,
    board: &Arc<Board>,
    stop: &Stop,
) -> RunEnd {
    let episode = |spec: run::EpisodeSpec, files| {
        let audience = Audience { supervisor: Arc::new(Unwatched), observer: board.observer(&spec.id()) };
        Arc::clone(shared).episode(spec, files, audience)
    };
    let drawn = Arc::clone(board);
    let drawing = runtime.spawn(async move {
        let mut ticks = tokio::time::interval(REDRAW);
        loop {
            ticks.tick().await;
            drawn.draw();
        }
    });
    let end = runtime.block_on(run::run(folder, settings, episode, &**board, stop));
    drawing.abort();
    end
}

/// The exit, and what to do.
fn conclude(args: &RolloutRunArgs, end: RunEnd, records: &[EpisodeRecord], planned: usize) -> Result<Exit, Failure> {
    let kept = format!("{} of {planned} episodes are finished and kept", records.len());
    let again = "repeat the command to resume";
    match end {
        RunEnd::Complete => {}
        RunEnd::Stopped => {
            return Err(Failure {
                exit: Exit::Interrupted,
                message: format!("interrupted: {kept}"),
                hint: Some(again.to_owned()),
            });
        }
        RunEnd::Failed(trouble) => {
            let hint = trouble.hint.unwrap_or_else(|| "fix this, then repeat the command to resume".to_owned());
            return Err(Failure::usage(format!("the run cannot continue: {}; {kept}", trouble.why)).hint(hint));
        }
        RunEnd::Unwritable { why } => {
            return Err(Failure::infrastructure(format!("{why}; {kept}"))
                .hint("free some disk space, then repeat the command to resume"));
        }
    }
    let unscored: Vec<&EpisodeRecord> = records.iter().filter(|record| record.reward().is_none()).collect();
    let Some(first) = unscored.first() else { return Ok(Exit::Success) };
    ui::step("Results", &args.out.join(run::JOURNAL_NAME).display().to_string());
    Err(Failure {
        exit: Exit::Infrastructure,
        message: format!("{} of {planned} episodes have no score: {}", unscored.len(), first.reason),
        hint: Some(hint_for(&first.reason)),
    })
}

/// What to do about episodes without a score.
pub(super) fn hint_for(reason: &str) -> String {
    let no_engine = BenchError::NoEngine { why: String::new() };
    let first = match no_engine.hint() {
        Some(hint) if reason.contains("no test engine") => format!("{hint}; "),
        _ => String::new(),
    };
    format!("{first}this says nothing about the model: repeat the command with --retry-unscored")
}
