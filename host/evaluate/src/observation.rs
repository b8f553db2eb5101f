//! A market without a strategy, over seeds: what it is like, who trades in it, and what moves its price.
//!
//! Invariants: the market is that of a trial's inert baseline, to the byte; results are in seed order, whatever the number of threads; figures by
//! kind of agent are of the first symbol and before fees.

mod watcher;

use crate::contender::BASELINE;
use crate::contender::Contender as _;
use crate::convert::measure_definitions;
use crate::evaluate::EvaluateError;
use crate::record::{MeasureDefinition, ScenarioRecord, SchemaRecord, SeriesRecord, ToolRecord};
use crate::recorder::{EpisodeKind, Recorder};
use crate::seeds::Seeds;
use crate::statistics::{Interval, Sample};
use assay_market::metrics::{Collector, KPIS, Kpi, Measure, Measures, Settings};
use assay_market::{Scenario, Until, simulate};
use assay_model::Seed;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use watcher::{Pair, Seen, Watcher};

/// Name of the record's schema.
pub const OBSERVATION_SCHEMA_NAME: &str = "assay.observation";
/// Version of the record's schema, major.minor: a new minor only adds fields.
pub const OBSERVATION_SCHEMA_VERSION: &str = "1.0";
/// Halts that a record lists; it counts all.
pub const HALTS_MAX: usize = 100;
/// Jumps that a record lists, the largest of all seeds.
pub const JUMPS_MAX: usize = 20;

/// See the module documentation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservationRecord {
    /// What this file is.
    pub schema: SchemaRecord,
    /// What made this.
    pub tool: ToolRecord,
    /// The command that reproduces it.
    pub command: String,
    /// The market.
    pub scenario: ScenarioRecord,
    /// The seeds asked for, ascending.
    pub seeds: Vec<u64>,
    /// Seeds that an interruption left out.
    pub not_run: Vec<u64>,
    /// What each measure means.
    pub definitions: Vec<MeasureDefinition>,
    /// The market's measures over the seeds.
    pub measures: Vec<ObservedMeasure>,
    /// Kinds of agents, as the scenario names them, those with the most volume first.
    pub kinds: Vec<KindRecord>,
    /// Trading halts of all seeds.
    pub halts_total: u64,
    /// The first of them.
    pub halts: Vec<HaltRecord>,
    /// The largest moves of the mid within a minute, one a seed at most.
    pub jumps: Vec<JumpRecord>,
    /// The course of the first seed.
    pub series: Option<SeriesRecord>,
}

/// A measure of the market over the seeds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedMeasure {
    /// Which.
    pub key: String,
    /// Seeds with a value.
    pub n: u64,
    /// Mean over them.
    pub mean: Option<f64>,
    /// Its 95% interval.
    pub interval: Option<Interval>,
    /// Least value of a seed.
    pub least: Option<f64>,
    /// Greatest value of a seed.
    pub greatest: Option<f64>,
}

/// What agents of one kind did, all of them together, a session on average.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindRecord {
    /// Name of the group in the scenario; not trusted.
    pub name: String,
    /// How many there are.
    pub agents: u64,
    /// Shares of all volume, each trade counted once for either side: the shares of all kinds add up to 1.
    pub volume_share: f64,
    /// Shares that they took, of all that they traded.
    pub taker_share: Option<f64>,
    /// Requests a session.
    pub requests: f64,
    /// Profit at the last mid, before fees, in cents a session.
    pub pnl_at_mid: f64,
    /// Its 95% interval over seeds.
    pub pnl_interval: Option<Interval>,
    /// The same a share traded, in cents.
    pub pnl_per_share: Option<f64>,
    /// How far the mid moved in the direction of their trades as takers, 5 s after, in cents; the mean over shares.
    pub impact_5s: Option<f64>,
    /// Share of the squared moves of the mid that came with their requests: what moves the price.
    pub moves_share: f64,
}

/// A trading halt, or an auction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HaltRecord {
    /// In which seed.
    pub seed: u64,
    /// When trading stopped.
    pub at_ns: u64,
    /// When it went on; `None` if it did not.
    pub until_ns: Option<u64>,
}

/// A large move of the mid.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JumpRecord {
    /// In which seed.
    pub seed: u64,
    /// When the minute began.
    pub at_ns: u64,
    /// Change of the mid within the minute, in basis points.
    pub basis_points: f64,
}

/// What is to be observed, and how it is described in the record.
#[derive(Clone)]
pub struct Watch<'a> {
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
    /// Keeps the episodes as data, if they are wanted.
    pub recorder: Option<&'a dyn Recorder>,
}

/// One seed.
struct Observed {
    seed: Seed,
    measures: Measures,
    seen: Seen,
    series: Option<SeriesRecord>,
}

/// Observes every seed; `seed_done` hears how many are done, from any thread. Once `cancel` is set, no further seed begins, and those
/// under way are abandoned.
///
/// # Errors
/// [`EvaluateError`] before the first episode only.
pub fn observe(
    watch: &Watch<'_>,
    seed_done: &(dyn Fn(Seed, usize) + Sync),
    cancel: &AtomicBool,
) -> Result<ObservationRecord, EvaluateError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(watch.threads.get())
        .build()
        .map_err(|source| EvaluateError::Threads { threads: watch.threads, source })?;
    let done = AtomicUsize::new(0);
    let seeds = watch.seeds.as_slice();
    let run = |(index, &seed): (usize, &Seed)| {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let observed = episode(watch, seed, index == 0, cancel)?;
        seed_done(seed, done.fetch_add(1, Ordering::Relaxed) + 1);
        Some(observed)
    };
    let results = pool.install(|| seeds.par_iter().enumerate().with_max_len(1).map(run).collect::<Vec<_>>());
    let not_run = seeds.iter().zip(&results).filter(|(_, result)| result.is_none()).map(|(seed, _)| seed.0).collect();
    Ok(record(watch, results.into_iter().flatten().collect(), not_run))
}

/// One seed; none after an interruption.
fn episode(watch: &Watch<'_>, seed: Seed, is_first: bool, cancel: &AtomicBool) -> Option<Observed> {
    let scenario = watch.scenario;
    let collector = Collector::new(Settings::of(scenario, seed, 0));
    let mut collector = if is_first { collector.with_depth() } else { collector };
    let mut watcher = Watcher::new(scenario);
    let mut recorder = watch.recorder.map(|recorder| recorder.begin(seed));
    // An inert trader always starts.
    if let Ok(trader) = BASELINE.start(scenario.new_desk(seed)) {
        let mut trader = Until::new(trader, || cancel.load(Ordering::Relaxed));
        let data = recorder.as_deref_mut().map(|recorder| recorder.episode(EpisodeKind::Baseline));
        simulate(scenario, seed, &mut trader, &mut Pair { collector: &mut collector, watcher: &mut watcher, data });
        trader.into_finished()?;
    }
    if let Some(recorder) = recorder {
        recorder.keep();
    }
    let collected = collector.finish();
    let series = is_first.then(|| {
        let mut series = SeriesRecord::new(seed.0, collected.series.clone(), &collected.series);
        // There is nothing to compare with.
        (series.baseline_mid, series.baseline_signature) = (Vec::new(), Vec::new());
        series
    });
    Some(Observed { seed, measures: collected.measures, seen: watcher.finish(), series })
}

fn record(watch: &Watch<'_>, mut observed: Vec<Observed>, not_run: Vec<u64>) -> ObservationRecord {
    let definitions = measure_definitions().into_iter().filter(|definition| definition.group == "market").collect();
    let market = KPIS.iter().filter(|info| info.group == assay_market::metrics::Group::Market);
    let measures = market.map(|info| measure(info.kpi, info.key, &observed)).collect();
    let halts = observed.iter().flat_map(|one| {
        one.seen.halts.iter().map(|(at, until)| HaltRecord { seed: one.seed.0, at_ns: *at, until_ns: *until })
    });
    let halts: Vec<HaltRecord> = halts.collect();
    let jump = |one: &Observed| {
        one.seen.jump.map(|(at_ns, basis_points)| JumpRecord { seed: one.seed.0, at_ns, basis_points })
    };
    let mut jumps: Vec<JumpRecord> = observed.iter().filter_map(jump).collect();
    jumps.sort_by(|a, b| b.basis_points.abs().total_cmp(&a.basis_points.abs()).then(a.seed.cmp(&b.seed)));
    jumps.truncate(JUMPS_MAX);
    ObservationRecord {
        schema: SchemaRecord {
            name: OBSERVATION_SCHEMA_NAME.to_owned(),
            version: OBSERVATION_SCHEMA_VERSION.to_owned(),
        },
        tool: watch.tool.clone(),
        command: watch.command.clone(),
        scenario: watch.scenario.into(),
        seeds: watch.seeds.as_slice().iter().map(|seed| seed.0).collect(),
        not_run,
        definitions,
        measures,
        kinds: kinds(watch.scenario, &observed),
        halts_total: halts.len() as u64,
        halts: halts.into_iter().take(HALTS_MAX).collect(),
        jumps,
        series: observed.iter_mut().find_map(|one| one.series.take()),
    }
}

fn measure(kpi: Kpi, key: &str, observed: &[Observed]) -> ObservedMeasure {
    let value = |one: &Observed| match one.measures[kpi] {
        Measure::Value(value) => Some(value),
        Measure::Missing(_) => None,
    };
    let values: Vec<f64> = observed.iter().filter_map(value).collect();
    let estimate = sample(observed, value).estimate();
    ObservedMeasure {
        key: key.to_owned(),
        n: values.len() as u64,
        mean: estimate.map(|estimate| estimate.mean),
        interval: estimate.and_then(|estimate| estimate.interval),
        least: values.iter().copied().reduce(f64::min),
        greatest: values.iter().copied().reduce(f64::max),
    }
}

/// Values of the seeds; those of one market path, such as a recording's, are one observation.
fn sample(observed: &[Observed], value: impl Fn(&Observed) -> Option<f64>) -> Sample {
    Sample::of_paths(observed.iter().filter_map(|one| Some((one.seen.path.as_str(), value(one)?))))
}

fn kinds(scenario: &Scenario, observed: &[Observed]) -> Vec<KindRecord> {
    let names = watcher::kinds(scenario);
    let sessions = observed.len().max(1) as f64;
    let total = |value: &dyn Fn(&watcher::Tally) -> f64, kind: usize| {
        observed.iter().map(|one| value(&one.seen.tallies[kind])).sum::<f64>()
    };
    let all = |value: &dyn Fn(&watcher::Tally) -> f64| (0..names.len()).map(|kind| total(value, kind)).sum::<f64>();
    let shares = |tally: &watcher::Tally| (tally.made + tally.taken) as f64;
    let (volume, moves) = (all(&shares), all(&|tally| tally.squared_moves));
    let of = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let kind = |(index, (name, agents)): (usize, (String, u64))| {
        let (traded, taken) = (total(&shares, index), total(&|tally| tally.taken as f64, index));
        let pnl = sample(observed, |one| Some(one.seen.tallies[index].pnl)).estimate();
        let earned = total(&|tally| tally.pnl, index);
        let measured = total(&|tally| tally.impact_shares as f64, index);
        KindRecord {
            name,
            agents,
            volume_share: of(traded, volume),
            taker_share: (traded > 0.0).then(|| taken / traded),
            requests: total(&|tally| tally.requests as f64, index) / sessions,
            pnl_at_mid: pnl.map_or(0.0, |pnl| pnl.mean),
            pnl_interval: pnl.and_then(|pnl| pnl.interval),
            pnl_per_share: (traded > 0.0).then(|| earned / traded),
            impact_5s: (measured > 0.0).then(|| total(&|tally| tally.impact, index) / measured),
            moves_share: of(total(&|tally| tally.squared_moves, index), moves),
        }
    };
    let mut kinds: Vec<KindRecord> = names.into_iter().enumerate().map(kind).collect();
    // The exchange is told of only if something came of it.
    kinds.retain(|kind| kind.agents > 0 || kind.volume_share > 0.0 || kind.moves_share > 0.0);
    kinds.sort_by(|a, b| b.volume_share.total_cmp(&a.volume_share).then_with(|| a.name.cmp(&b.name)));
    kinds
}
