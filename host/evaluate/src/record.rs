//! The record of a run: everything that was found, as data, with a versioned schema (`schema/run-2.0.schema.json`).
//!
//! Invariants: the record is a function of tool, strategy, scenario, seeds and command, except for the fields named in
//! [`UNHASHED_FIELDS`]; in particular it does not depend on the number of threads. Units are in the field names, cents and
//! shares elsewhere; a measure without a value says why.

use crate::score_record::{INERT, ScoreRecord};
use crate::statistics::{Difference, EvidenceRecord, Moments};
use assay_market::replay::Findings;
use assay_market::{ReplayCounts, Scenario};
use assay_model::Side;
use assay_sandbox::{Callback, Outcome, Usage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name of the record's schema.
pub const SCHEMA_NAME: &str = "assay.run";
/// Version of the record's schema, major.minor: a new minor only adds fields. Since 2.0 `pnl` is the liquidation value; records of 1.x still read,
/// and their `pnl` is what `pnl_at_mid` is now.
pub const SCHEMA_VERSION: &str = "2.0";
/// The JSON schema itself.
pub const SCHEMA_JSON: &str = include_str!("../schema/run-2.0.schema.json");
/// Fields that may differ between two runs of the same command: how long it took, and texts for people whose wording belongs to
/// the compiler.
pub const UNHASHED_FIELDS: [&str; 2] = ["timing", "diagnostics"];

/// See the module documentation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    /// What this file is.
    pub schema: SchemaRecord,
    /// Every seed that was asked for was run; `false` after an interruption.
    pub complete: bool,
    /// The short answer.
    pub verdict: RunVerdict,
    /// What made this.
    pub tool: ToolRecord,
    /// The command that reproduces it.
    pub command: String,
    /// The market.
    pub scenario: ScenarioRecord,
    /// What was tried.
    pub strategy: StrategyRecord,
    /// What stood in its place for comparison; `None` for the inert trader. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<StrategyRecord>,
    /// One number for it all, and how it comes about; since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreRecord>,
    /// What the checks said about it.
    pub findings: Vec<FindingRecord>,
    /// Findings that were counted but not kept.
    pub findings_omitted: u64,
    /// The seeds asked for, ascending.
    pub seeds: Vec<u64>,
    /// Seeds that infrastructure kept from being scored; no part of any statistic.
    pub unscored: Vec<UnscoredRecord>,
    /// Seeds that an interruption left out.
    pub not_run: Vec<u64>,
    /// What each measure means.
    pub measures: Vec<MeasureDefinition>,
    /// Over all scored seeds.
    pub summary: SummaryRecord,
    /// Each scored seed, ascending.
    pub episodes: Vec<EpisodeRecord>,
    /// The course of the first scored seed.
    pub series: Option<SeriesRecord>,
    /// Where the fuel of the first seed went, if that was asked for; since 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileRecord>,
    /// For people; see [`UNHASHED_FIELDS`].
    pub diagnostics: DiagnosticsRecord,
    /// How long it took; see [`UNHASHED_FIELDS`].
    pub timing: TimingRecord,
}

impl RunRecord {
    /// The record with the fields of [`UNHASHED_FIELDS`] emptied: equal for equal runs.
    #[must_use]
    pub fn without_timing(&self) -> Self {
        Self { diagnostics: DiagnosticsRecord::default(), timing: TimingRecord::default(), ..self.clone() }
    }

    /// What the baseline is, for comparisons: `inert`, or the hash of a strategy.
    #[must_use]
    pub fn baseline_id(&self) -> String {
        self.baseline.as_ref().map_or(INERT, StrategyRecord::content_hash).to_owned()
    }
}

/// Which schema a file follows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemaRecord {
    /// [`SCHEMA_NAME`].
    pub name: String,
    /// [`SCHEMA_VERSION`].
    pub version: String,
}

/// The short answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    /// The strategy finished in every scored seed.
    Finished,
    /// The strategy failed in at least one scored seed.
    Failed,
    /// No seed was scored: nothing is known about the strategy.
    Unscored,
}

impl RunVerdict {
    /// What scored seeds give.
    pub(crate) fn of<'e>(episodes: impl IntoIterator<Item = &'e EpisodeRecord>) -> Self {
        let mut episodes = episodes.into_iter().peekable();
        if episodes.peek().is_none() {
            Self::Unscored
        } else if episodes.all(EpisodeRecord::succeeded) {
            Self::Finished
        } else {
            Self::Failed
        }
    }
}

/// Versions of what made the record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolRecord {
    /// Assay's.
    pub assay: String,
    /// That of the WebAssembly engine.
    pub wasmtime: String,
}

/// The market.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioRecord {
    /// Its name.
    pub name: String,
    /// One line about it.
    pub summary: String,
    /// BLAKE3 of its text.
    pub hash: String,
    /// Its text.
    pub text: String,
    /// What is traded, the first symbol first; empty in records of 1.0.
    #[serde(default)]
    pub symbols: Vec<String>,
    /// The recorded market, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<RecordingRecord>,
    /// BLAKE3 of the series that the fundamental value follows, if it follows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fundamental_series_hash: Option<String>,
    /// What the strategy starts with, in cents; since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starting_cash: Option<i64>,
}

impl ScenarioRecord {
    /// Whom this market pays for nothing, as its text says; `None` if it says nothing, or if this release cannot read the text.
    #[must_use]
    pub fn gives_away(&self) -> Option<String> {
        let scenario = Scenario::parse(&self.text).ok()?;
        (!scenario.gives_away.is_empty()).then_some(scenario.gives_away)
    }
}

/// What a recorded market holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordingRecord {
    /// BLAKE3 of the recorded requests, as an event log of nothing else.
    pub hash: String,
    /// Recorded requests.
    pub requests: u64,
    /// Participants that they come from.
    pub participants: u32,
    /// Trading halts.
    pub halts: u64,
    /// What reading has found, if it was read from a format that can hold more than requests.
    pub findings: Option<Findings>,
}

/// What became of a recorded market in one seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayRecord {
    /// With the strategy.
    pub strategy: ReplayCounts,
    /// With the inert trader in its place.
    pub baseline: ReplayCounts,
}

/// What was tried.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrategyRecord {
    /// File name without folders.
    pub file_name: String,
    /// Source text, if the strategy came as source.
    pub source: Option<String>,
    /// BLAKE3 of the source, if there is one.
    pub source_hash: Option<String>,
    /// BLAKE3 of the component.
    pub component_hash: String,
    /// Version of the SDK it was built against, if it was built here.
    pub sdk_version: Option<String>,
    /// Version of the compiler, if it was built here.
    pub rustc_version: Option<String>,
}

impl StrategyRecord {
    /// What identifies it, whatever its file is called: the hash of its component, or of a Python file, which shares its component with all others, that of
    /// its source.
    #[must_use]
    pub fn content_hash(&self) -> &str {
        match (&self.source_hash, &self.sdk_version) {
            (Some(source), None) => source,
            _ => &self.component_hash,
        }
    }
}

/// One complaint of the checks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingRecord {
    /// Stable code.
    pub code: String,
    /// `error` or `warning`.
    pub severity: String,
    /// Where, for a person.
    pub place: String,
    /// What was seen.
    pub observed: Option<String>,
    /// What is allowed.
    pub limit: Option<String>,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub hint: String,
}

/// A seed that was not scored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnscoredRecord {
    /// The seed.
    pub seed: u64,
    /// What got in the way, twice.
    pub what: String,
}

/// A measure's entry in the catalogue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureDefinition {
    /// Name in this file.
    pub key: String,
    /// Name for people.
    pub title: String,
    /// What it is about: profit, inventory, orders, execution or market.
    pub group: String,
    /// Unit of the value.
    pub unit: String,
    /// `higher`, `lower` or `neutral`.
    pub better: String,
    /// Formula and source.
    pub definition: String,
}

/// A number, or why there is none.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureRecord {
    /// The number in the measure's unit.
    pub value: Option<f64>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Measures by key.
pub type MeasureMap = BTreeMap<String, MeasureRecord>;

/// Over all scored seeds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SummaryRecord {
    /// Probability that an interval covers the true mean difference.
    pub confidence: f64,
    /// How often each outcome came up, most frequent first.
    pub outcomes: Vec<CountRecord>,
    /// Limits that the strategy ran into, most frequent first.
    pub limits_hit: Vec<CountRecord>,
    /// One row for each measure, in the order of the definitions.
    pub measures: Vec<MeasureSummary>,
    /// What the strategy used.
    pub usage: UsageSummary,
    /// What the figures rest on; since 2.0.
    #[serde(default)]
    pub evidence: EvidenceRecord,
}

/// How many seeds something happened in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountRecord {
    /// What.
    pub what: String,
    /// In how many seeds.
    pub seeds: u64,
    /// The first of them.
    pub first_seed: u64,
}

/// One measure over the scored seeds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureSummary {
    /// Which.
    pub key: String,
    /// With the strategy.
    pub strategy: Moments,
    /// With the inert trader in its place.
    pub baseline: Moments,
    /// Strategy − baseline, seed by seed.
    pub difference: Difference,
}

/// What the strategy used over the scored seeds. Fuel, not time: deterministic.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsageSummary {
    /// Fuel of all episodes.
    pub fuel: u64,
    /// Fuel of the dearest episode.
    pub fuel_episode_max: u64,
    /// Each kind of callback.
    pub callbacks: Vec<CallbackSummary>,
    /// Calls from the strategy to the host.
    pub host_calls: u64,
    /// The most linear memory held in any episode.
    pub memory_bytes_peak: u64,
    /// Log lines that found no room, in the sandbox or in this record.
    pub log_lines_dropped: u64,
}

/// Use of one kind of callback over the scored seeds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallbackSummary {
    /// Which.
    pub callback: Callback,
    /// How often it was called.
    pub calls: u64,
    /// Fuel in all.
    pub fuel: u64,
    /// Fuel of a call on average; `None` if there was none.
    pub fuel_mean: Option<f64>,
    /// Fuel that half of the calls stayed within, at most a 32nd too high; `None` if there was no call. Since 1.2.
    #[serde(default)]
    pub fuel_p50: Option<u64>,
    /// The same for 99 in 100 calls.
    #[serde(default)]
    pub fuel_p99: Option<u64>,
    /// Fuel of the dearest call.
    pub fuel_max: u64,
    /// Where that call was; `None` if there was no call. Since 1.2.
    #[serde(default)]
    pub dearest: Option<DearestCall>,
    /// Budget of one call, for comparison.
    pub fuel_limit: u64,
}

/// Where the dearest call of a kind was, the first of equally dear ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DearestCall {
    /// In which seed.
    pub seed: u64,
    /// When.
    pub at_ns: u64,
}

/// Fuel of one episode by function, exact: the functions' own fuel adds up to the episode's.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileRecord {
    /// The seed.
    pub seed: u64,
    /// Fuel in all.
    pub fuel: u64,
    /// The functions with the most fuel of their own, most first; callbacks and host calls are among them.
    pub functions: Vec<FunctionRecord>,
    /// Functions that were entered but are not listed.
    pub functions_omitted: u64,
}

/// One function of a profile.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionRecord {
    /// Its name. Not trusted: may hold anything.
    pub name: String,
    /// How often it was entered.
    pub calls: u64,
    /// Its own fuel.
    pub fuel_self: u64,
    /// That of what it called included.
    pub fuel_total: u64,
}

/// One scored seed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeRecord {
    /// The seed.
    pub seed: u64,
    /// What became of the strategy.
    pub outcome: Outcome,
    /// When and why the market stopped calling it, if it did.
    pub stopped: Option<StopRecord>,
    /// Measures with the strategy.
    pub measures: MeasureMap,
    /// Measures with the baseline in its place.
    pub baseline_measures: MeasureMap,
    /// How the baseline ended, if it did not finish; since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_failure: Option<String>,
    /// BLAKE3 of the event log with the strategy.
    pub event_log_hash: String,
    /// BLAKE3 of the event log with the inert trader.
    pub baseline_event_log_hash: String,
    /// Events with the strategy.
    pub events: u64,
    /// What the strategy used.
    pub usage: Usage,
    /// What the strategy logged; not trusted.
    pub log: Vec<LogRecord>,
    /// Log lines that found no room, in the sandbox or in this record.
    pub log_lines_dropped: u64,
    /// Equity less starting cash in cents at the ends of equal parts of the session.
    pub pnl_curve: Vec<f64>,
    /// What became of the recorded market, if the market is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ReplayRecord>,
}

/// The path of every seed of a recorded market.
const RECORDED_PATH: &str = "recording";

impl EpisodeRecord {
    /// Names the path of the market that this seed met: seeds of one path are one observation. It is the market's alone, without the strategy, so nothing that
    /// a strategy does makes paths distinct; a recording is one path, whatever is drawn around it.
    #[must_use]
    pub fn path(&self) -> &str {
        if self.replay.is_some() { RECORDED_PATH } else { &self.baseline_event_log_hash }
    }

    /// Whether the strategy came to its own end within all limits.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.outcome == Outcome::Finished && self.stopped.is_none()
    }

    /// Whether the market took the strategy out because it had lost what it needs to hold its positions.
    #[must_use]
    pub fn is_ruined(&self) -> bool {
        self.stopped.is_some_and(|stop| stop.cause == StopCauseRecord::Ruined)
    }
}

/// When and why the market stopped calling a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopRecord {
    /// When.
    pub at_ns: u64,
    /// Why.
    pub cause: StopCauseRecord,
}

/// See [`StopRecord`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCauseRecord {
    /// A callback failed; the outcome says how.
    CallbackFailed,
    /// It had too many requests under way.
    RequestsInFlight,
    /// It sent too many requests in all.
    RequestsPerEpisode,
    /// What it had fell below the maintenance margin of its position.
    Ruined,
}

/// One line that the strategy logged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogRecord {
    /// When.
    pub at_ns: u64,
    /// What; may hold anything.
    pub text: String,
}

/// The course of one episode in equal buckets of time; prices and money in cents, quantities in shares.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesRecord {
    /// The seed.
    pub seed: u64,
    /// Where the first bucket starts.
    pub start_ns: u64,
    /// Width of a bucket.
    pub step_ns: u64,
    /// Mid.
    pub mid: RangeRecord,
    /// Mid with the inert trader in the strategy's place, at the end of each bucket.
    pub baseline_mid: Vec<Option<f64>>,
    /// Best bid at the end of each bucket.
    pub bid: Vec<Option<f64>>,
    /// Best offer at the end of each bucket.
    pub ask: Vec<Option<f64>>,
    /// Spread.
    pub spread: RangeRecord,
    /// Shares traded in each bucket, by anyone.
    pub volume: Vec<u64>,
    /// Shares traded in each bucket by the strategy.
    pub volume_own: Vec<u64>,
    /// Shares held.
    pub position: RangeRecord,
    /// Equity less starting cash.
    pub pnl: RangeRecord,
    /// Distance of equity below its highest so far.
    pub drawdown: RangeRecord,
    /// Fills, thinned evenly to a bounded number.
    pub fills: Vec<FillRecord>,
    /// How many fills there were.
    pub fills_total: u64,
    /// Order-flow imbalance of each bucket in shares; since 1.1.
    #[serde(default)]
    pub order_flow: Vec<i64>,
    /// Annualised volatility of the mid on finer and coarser grids; since 1.1.
    #[serde(default)]
    pub signature: Vec<SignatureRecord>,
    /// The same with the inert trader in the strategy's place; since 1.1.
    #[serde(default)]
    pub baseline_signature: Vec<SignatureRecord>,
    /// The visible book, if it ever had two sides; since 1.1.
    #[serde(default)]
    pub depth: Option<DepthRecord>,
}

/// Volatility of the mid on one grid.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureRecord {
    /// Step of the grid.
    pub step_seconds: u64,
    /// Returns on it.
    pub returns: u64,
    /// Annualised, as a fraction; `None` with too few returns.
    pub volatility: Option<f64>,
}

/// Visible shares by time and price.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepthRecord {
    /// Width of a column; the first begins where the series do.
    pub step_ns: u64,
    /// Lowest price of the lowest row in cents.
    pub price_low: i64,
    /// Cents a row.
    pub price_step: i64,
    /// For each column the shares in each row, from the lowest price up, at the column's end.
    pub columns: Vec<Vec<u64>>,
}

/// The last, least and greatest value of each bucket.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeRecord {
    /// Value at the end of each bucket.
    pub last: Vec<Option<f64>>,
    /// Least value in each bucket.
    pub min: Vec<Option<f64>>,
    /// Greatest value in each bucket.
    pub max: Vec<Option<f64>>,
}

/// One fill of the strategy's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillRecord {
    /// When.
    pub at_ns: u64,
    /// Price in cents.
    pub price: i64,
    /// Shares.
    pub quantity: u32,
    /// The strategy's side.
    pub side: Side,
    /// Whether it made liquidity.
    pub maker: bool,
}

/// Texts for people that no comparison should look at.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiagnosticsRecord {
    /// Stacks of failed strategies, a bounded number.
    pub backtraces: Vec<BacktraceRecord>,
}

/// The strategy's stack where it failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BacktraceRecord {
    /// The seed.
    pub seed: u64,
    /// Innermost frame first.
    pub text: String,
}

/// How long it took, in seconds, and with how many threads.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimingRecord {
    /// Threads used.
    pub threads: u64,
    /// All seeds, from start to end.
    pub evaluate_seconds: f64,
    /// Sum over the episodes with the strategy.
    pub strategy_seconds: f64,
    /// Sum over the episodes with the inert trader.
    pub baseline_seconds: f64,
    /// What came before, phase by phase.
    pub phases_seconds: BTreeMap<String, f64>,
}
