//! The trial itself: each seed with the strategy and with the inert baseline, in parallel, results in seed order.
//!
//! ```text
//! seed ──► strategy + baseline ──► scored
//!              │ infrastructure ──► once more ──► scored | unscored
//!              └ interrupted    ──► not run
//! ```
//!
//! Invariants: what is measured does not depend on the number of threads; an episode cut short by an interruption is thrown away,
//! never scored; an infrastructure failure is never a score.

use crate::baselines::Baselines;
use crate::contender::{BASELINE, Contender};
use crate::convert::{measure_definitions, measure_map};
use crate::episode::{Episode, NoScore, Tape, run_episode};
use crate::record::{
    BacktraceRecord, DiagnosticsRecord, EpisodeRecord, FindingRecord, LogRecord, ReplayRecord, RunRecord, RunVerdict,
    SCHEMA_NAME, SCHEMA_VERSION, SchemaRecord, SeriesRecord, StopRecord, StrategyRecord, TimingRecord, ToolRecord,
    UnscoredRecord,
};
use crate::recorder::{EpisodeKind, Recorder};
use crate::score_record::Goal;
use crate::seeds::Seeds;
use crate::summary::{Scored, summarise};
use assay_market::Scenario;
use assay_market::metrics::{Collector, SERIES_BUCKETS, Series, Settings};
use assay_model::{Budget, LOG_BYTES_MAX, LogLine, Seed};
use assay_sandbox::Outcome;
use rayon::prelude::*;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What a market with a strategy in it may take of what it takes without: it is measured closer, and more happens in it. Beyond that it is the strategy's doing.
const MARKET_SHARE: u32 = 2;
/// Points of each seed's profit curve.
pub const CURVE_POINTS: usize = 60;
/// Bytes of log that a record keeps over all seeds; each seed gets an equal part, at most what the sandbox keeps.
pub const RECORD_LOG_BYTES_MAX: usize = 1 << 20;
/// Backtraces kept: they repeat from seed to seed.
pub const BACKTRACES_MAX: usize = 10;
/// Bytes kept of one backtrace.
pub const BACKTRACE_BYTES_MAX: usize = 16 << 10;

/// What is tried, on what, and how it is described in the record.
#[derive(Clone)]
pub struct Trial<'a> {
    /// The market.
    pub scenario: &'a Scenario,
    /// The seeds.
    pub seeds: &'a Seeds,
    /// How many episodes run at once.
    pub threads: NonZeroUsize,
    /// Versions for the record.
    pub tool: ToolRecord,
    /// The command for the record.
    pub command: String,
    /// The strategy for the record.
    pub strategy: StrategyRecord,
    /// What the checks said, for the record.
    pub findings: Vec<FindingRecord>,
    /// Findings that were counted but not kept.
    pub findings_omitted: u64,
    /// Keeps the episodes as data, if they are wanted.
    pub recorder: Option<&'a dyn Recorder>,
    /// Baselines that other trials in this scenario share; with a recorder each trial runs its own.
    pub baselines: Option<&'a Baselines>,
}

/// Hears how a trial gets on, from any thread and in any order.
pub trait Progress: Sync {
    /// A seed has been dealt with; `done` of `total` by now.
    fn seed_done(&self, seed: Seed, result: SeedResult<'_>, done: usize, total: usize);
}

/// Hears nothing.
impl Progress for () {
    fn seed_done(&self, _: Seed, _: SeedResult<'_>, _: usize, _: usize) {}
}

/// What became of a seed.
#[derive(Clone, Copy, Debug)]
pub enum SeedResult<'a> {
    /// It counts, whatever the strategy did.
    Scored {
        /// What was found.
        episode: &'a EpisodeRecord,
    },
    /// Infrastructure failed, twice.
    Unscored {
        /// What happened.
        what: &'a str,
    },
    /// The run was interrupted.
    NotRun,
}

/// Why a trial could not begin.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The threads could not be started.
    #[error("failed to start {threads} threads")]
    Threads {
        /// How many were asked for.
        threads: NonZeroUsize,
        /// Why.
        source: rayon::ThreadPoolBuildError,
    },
}

/// Who is tried, and what stands in its place for comparison.
struct Sides<'a, C, B> {
    contender: &'a C,
    baseline: &'a B,
    /// Baselines of other trials with the same one.
    shared: Option<&'a Baselines>,
    /// Whether the episodes are all that is wanted.
    episodes_only: bool,
}

/// Tries `contender` on every seed beside the inert baseline: see [`evaluate_against`].
///
/// # Errors
/// [`EvaluateError`] before the first episode only.
pub fn evaluate<C: Contender>(
    trial: &Trial<'_>,
    contender: &C,
    progress: &dyn Progress,
    cancel: &AtomicBool,
) -> Result<RunRecord, EvaluateError> {
    let sides = Sides { contender, baseline: &BASELINE, shared: trial.baselines, episodes_only: false };
    let mut record = evaluate_sides(trial, &sides, progress, cancel)?;
    record.score = Some(record.score(Goal::default()));
    Ok(record)
}

/// The episodes of [`evaluate`] alone, for whoever scores them in parts: the record has no score and no series, and its summary is that of no seeds.
///
/// # Errors
/// [`EvaluateError`] before the first episode only.
pub fn episodes<C: Contender>(
    trial: &Trial<'_>,
    contender: &C,
    cancel: &AtomicBool,
) -> Result<RunRecord, EvaluateError> {
    let sides = Sides { contender, baseline: &BASELINE, shared: trial.baselines, episodes_only: true };
    evaluate_sides(trial, &sides, &(), cancel)
}

/// The record of a trial of which no seed was run, whatever became of some of them: it is the same each time.
#[must_use]
pub fn not_run(trial: &Trial<'_>) -> RunRecord {
    let results = trial.seeds.as_slice().iter().map(|&seed| (seed, Err(NoScore::Interrupted))).collect();
    record(trial, None, results, None, TimingRecord::default())
}

/// Tries `contender` on every seed beside another strategy, which stands in its place in the baseline and is described by `strategy`. The
/// trial's shared baselines are inert, so they are not used.
///
/// # Errors
/// [`EvaluateError`] before the first episode only.
pub fn evaluate_against<C: Contender, B: Contender>(
    trial: &Trial<'_>,
    contender: &C,
    (baseline, strategy): (&B, StrategyRecord),
    progress: &dyn Progress,
    cancel: &AtomicBool,
) -> Result<RunRecord, EvaluateError> {
    let sides = Sides { contender, baseline, shared: None, episodes_only: false };
    let mut record = evaluate_sides(trial, &sides, progress, cancel)?;
    record.baseline = Some(strategy);
    record.score = Some(record.score(Goal::default()));
    Ok(record)
}

/// Tries `contender` on every seed. Once `cancel` is set, episodes under way are abandoned within a callback, or some
/// thousand turns of the market, and the record holds what was finished by then, with `complete: false`.
fn evaluate_sides<C: Contender, B: Contender>(
    trial: &Trial<'_>,
    sides: &Sides<'_, C, B>,
    progress: &dyn Progress,
    cancel: &AtomicBool,
) -> Result<RunRecord, EvaluateError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(trial.threads.get())
        .build()
        .map_err(|source| EvaluateError::Threads { threads: trial.threads, source })?;
    let start = Instant::now();
    let first_series = FirstSeries::default();
    let done = AtomicUsize::new(0);
    let seeds = trial.seeds.as_slice();
    let run_seed = |(index, &seed): (usize, &Seed)| {
        let result = score_twice(trial, sides, seed, cancel).map(|(scored, strategy, baseline)| {
            if !sides.episodes_only {
                first_series.offer(index, || SeriesRecord::new(seed.0, strategy, &baseline.collected.series));
            }
            scored
        });
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        let report = match &result {
            Ok(scored) => SeedResult::Scored { episode: &scored.record },
            Err(NoScore::Infrastructure(failure)) => SeedResult::Unscored { what: &failure.what },
            Err(NoScore::Interrupted) => SeedResult::NotRun,
        };
        progress.seed_done(seed, report, done, seeds.len());
        (seed, result)
    };
    // One seed at a time, so that an interruption loses as little as possible.
    let results = pool.install(|| seeds.par_iter().enumerate().with_max_len(1).map(run_seed).collect::<Vec<_>>());
    let timing = TimingRecord {
        threads: trial.threads.get() as u64,
        evaluate_seconds: start.elapsed().as_secs_f64(),
        ..TimingRecord::default()
    };
    let budget = sides.contender.budget().unwrap_or(trial.scenario.budget);
    let summarised = (!sides.episodes_only).then_some(&budget);
    Ok(record(trial, summarised, results, first_series.take(), timing))
}

/// The series of the lowest seed that was scored, whichever thread came first.
#[derive(Default)]
struct FirstSeries(Mutex<Option<(usize, SeriesRecord)>>);

impl FirstSeries {
    fn offer(&self, index: usize, make: impl FnOnce() -> SeriesRecord) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().is_none_or(|(other, _)| index < *other) {
            *held = Some((index, make()));
        }
    }

    fn take(self) -> Option<SeriesRecord> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).map(|(_, series)| series)
    }
}

/// Scores a seed, with a second try if infrastructure fails.
fn score_twice<C: Contender, B: Contender>(
    trial: &Trial<'_>,
    sides: &Sides<'_, C, B>,
    seed: Seed,
    cancel: &AtomicBool,
) -> Result<(Scored, Series, Arc<Episode>), NoScore> {
    match score(trial, sides, seed, cancel) {
        Err(NoScore::Infrastructure(_)) => score(trial, sides, seed, cancel),
        result => result,
    }
}

/// A seed with the strategy and with the baseline.
struct Pair {
    strategy: Episode,
    baseline: Arc<Episode>,
    /// What this trial spent on the baseline.
    baseline_seconds: f64,
}

/// Runs both. The baseline comes first where trials share it: what it took says how much of the strategy's time is the market's.
fn run_pair<C: Contender, B: Contender>(
    trial: &Trial<'_>,
    sides: &Sides<'_, C, B>,
    seed: Seed,
    cancel: &AtomicBool,
) -> Result<Pair, NoScore> {
    let collector = || Collector::new(Settings::of(trial.scenario, seed, 0));
    let mut recorder = trial.recorder.map(|recorder| recorder.begin(seed));
    let mut baseline_seconds = 0.0;
    let shared = sides.shared.filter(|_| recorder.is_none());
    let shared = shared.map(|baselines| {
        baselines.of(trial.scenario, seed, || {
            let tape = Tape { kind: EpisodeKind::Baseline, recorder: None };
            let episode = run_episode(trial.scenario, sides.baseline, collector(), seed, cancel, tape)?;
            baseline_seconds = episode.seconds;
            Ok::<_, NoScore>(episode)
        })
    });
    let shared = shared.transpose()?;
    if let (Some(allowance), Some(baseline)) = (sides.contender.allowance(), &shared) {
        allowance.grant(baseline.processor * MARKET_SHARE);
    }
    // Only a chart needs the depth of the book.
    let own = if sides.episodes_only { collector() } else { collector().with_depth() };
    let tape = Tape { kind: EpisodeKind::Strategy, recorder: recorder.as_deref_mut() };
    let strategy = run_episode(trial.scenario, sides.contender, own, seed, cancel, tape)?;
    let baseline = match shared {
        Some(baseline) => baseline,
        None => {
            let tape = Tape { kind: EpisodeKind::Baseline, recorder: recorder.as_deref_mut() };
            let episode = run_episode(trial.scenario, sides.baseline, collector(), seed, cancel, tape)?;
            baseline_seconds = episode.seconds;
            Arc::new(episode)
        }
    };
    if let Some(recorder) = recorder {
        recorder.keep();
    }
    Ok(Pair { strategy, baseline, baseline_seconds })
}

/// What came of a seed with the strategy and with the baseline.
fn score<C: Contender, B: Contender>(
    trial: &Trial<'_>,
    sides: &Sides<'_, C, B>,
    seed: Seed,
    cancel: &AtomicBool,
) -> Result<(Scored, Series, Arc<Episode>), NoScore> {
    let Pair { strategy, baseline, baseline_seconds } = run_pair(trial, sides, seed, cancel)?;
    let seat = &strategy.summary.seats[0];
    let log_bytes = (RECORD_LOG_BYTES_MAX / trial.seeds.as_slice().len()).min(LOG_BYTES_MAX);
    let (log, clipped) = clip_log(strategy.verdict.log, log_bytes);
    let record = EpisodeRecord {
        seed: seed.0,
        outcome: strategy.verdict.outcome,
        stopped: seat.stopped.map(|(at, cause)| StopRecord { at_ns: at.0, cause: cause.into() }),
        measures: measure_map(&strategy.collected.measures),
        baseline_measures: measure_map(&baseline.collected.measures),
        baseline_failure: failure(&baseline),
        event_log_hash: strategy.summary.log_hash.to_hex().to_string(),
        baseline_event_log_hash: baseline.summary.log_hash.to_hex().to_string(),
        events: strategy.summary.events,
        usage: strategy.verdict.usage,
        log,
        log_lines_dropped: strategy.verdict.log_lines_dropped + clipped,
        pnl_curve: curve(&strategy.collected.series),
        replay: strategy
            .summary
            .replay
            .zip(baseline.summary.replay)
            .map(|(strategy, baseline)| ReplayRecord { strategy, baseline }),
    };
    let scored = Scored {
        record,
        fuel_by_call: strategy.verdict.fuel_by_call,
        log_lines_dropped: strategy.verdict.log_lines_dropped,
        wakeups_ignored: seat.wakeups_ignored,
        rejections_too_many_open: strategy.collected.rejections_too_many_open,
        backtrace: strategy.verdict.backtrace,
        strategy_seconds: strategy.seconds,
        baseline_seconds,
    };
    Ok((scored, strategy.collected.series, baseline))
}

/// How a baseline ended, if it did not finish.
fn failure(baseline: &Episode) -> Option<String> {
    match (&baseline.verdict.outcome, baseline.summary.seats.first().and_then(|seat| seat.stopped)) {
        (Outcome::Finished, None) => None,
        (Outcome::Finished, Some((_, cause))) => Some(format!("stopped: {cause:?}")),
        (outcome, _) => Some(format!("{outcome:?}")),
    }
}

/// Whole lines up to `bytes_max`, and how many more there were.
fn clip_log(log: Vec<LogLine>, bytes_max: usize) -> (Vec<LogRecord>, u64) {
    let total = log.len();
    let mut bytes = 0;
    let kept: Vec<LogRecord> = log
        .into_iter()
        .take_while(|line| {
            bytes += line.text.len() + size_of::<LogLine>();
            bytes <= bytes_max
        })
        .map(|line| LogRecord { at_ns: line.at.0, text: line.text })
        .collect();
    let clipped = (total - kept.len()) as u64;
    (kept, clipped)
}

/// Every n-th point of the profit.
fn curve(series: &Series) -> Vec<f64> {
    let every = SERIES_BUCKETS / CURVE_POINTS;
    series.pnl.last.iter().skip(every - 1).step_by(every).map(|value| value.unwrap_or_default()).collect()
}

/// `summarised` is what the strategy may use; without it, nothing is summed up.
fn record(
    trial: &Trial<'_>,
    summarised: Option<&Budget>,
    results: Vec<(Seed, Result<Scored, NoScore>)>,
    series: Option<SeriesRecord>,
    mut timing: TimingRecord,
) -> RunRecord {
    let (mut scored, mut unscored, mut not_run) = (Vec::new(), Vec::new(), Vec::new());
    for (seed, result) in results {
        match result {
            Ok(episode) => scored.push(episode),
            Err(NoScore::Infrastructure(failure)) => unscored.push(UnscoredRecord { seed: seed.0, what: failure.what }),
            Err(NoScore::Interrupted) => not_run.push(seed.0),
        }
    }
    timing.strategy_seconds = scored.iter().map(|episode| episode.strategy_seconds).sum();
    timing.baseline_seconds = scored.iter().map(|episode| episode.baseline_seconds).sum();
    let verdict = RunVerdict::of(scored.iter().map(|episode| &episode.record));
    let scenario = trial.scenario;
    RunRecord {
        schema: SchemaRecord { name: SCHEMA_NAME.to_owned(), version: SCHEMA_VERSION.to_owned() },
        complete: not_run.is_empty(),
        verdict,
        tool: trial.tool.clone(),
        command: trial.command.clone(),
        scenario: scenario.into(),
        strategy: trial.strategy.clone(),
        baseline: None,
        score: None,
        findings: trial.findings.clone(),
        findings_omitted: trial.findings_omitted,
        seeds: trial.seeds.as_slice().iter().map(|seed| seed.0).collect(),
        unscored,
        not_run,
        measures: measure_definitions(),
        summary: summarised.map_or_else(|| summarise(&[], &scenario.budget), |budget| summarise(&scored, budget)),
        diagnostics: diagnostics(&mut scored),
        episodes: scored.into_iter().map(|episode| episode.record).collect(),
        series,
        profile: None,
        timing,
    }
}

fn diagnostics(scored: &mut [Scored]) -> DiagnosticsRecord {
    let backtraces = scored.iter_mut().filter_map(|episode| {
        let mut text = episode.backtrace.take()?;
        text.truncate(text.floor_char_boundary(BACKTRACE_BYTES_MAX));
        Some(BacktraceRecord { seed: episode.record.seed, text })
    });
    DiagnosticsRecord { backtraces: backtraces.take(BACKTRACES_MAX).collect() }
}
