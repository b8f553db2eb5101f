//! A strategy over seeds against an inert baseline: measures, paired differences with intervals, and the record of the run.
//!
//! [`evaluate`] runs each seed twice in the same market, once with the strategy and once with a trader in its place that does
//! nothing, so a difference is due to the strategy alone. What the strategy did wrong is part of the [`RunRecord`]; what went wrong
//! on our side leaves the seed unscored.

mod contender;
mod convert;
mod evaluate;
mod record;
mod recorder;
mod seeds;
mod statistics;
mod summary;

pub use contender::{BASELINE, Contender, Guest, GuestTrader, Infrastructure, Native};
pub use evaluate::{
    BACKTRACE_BYTES_MAX, BACKTRACES_MAX, CURVE_POINTS, EvaluateError, Progress, RECORD_LOG_BYTES_MAX, SeedResult,
    Trial, evaluate,
};
pub use record::{
    BacktraceRecord, CallbackSummary, CountRecord, DepthRecord, DiagnosticsRecord, EpisodeRecord, FillRecord,
    FindingRecord, LogRecord, MeasureDefinition, MeasureMap, MeasureRecord, MeasureSummary, RangeRecord,
    RecordingRecord, ReplayRecord, RunRecord, RunVerdict, SCHEMA_JSON, SCHEMA_NAME, SCHEMA_VERSION, ScenarioRecord,
    SchemaRecord, SeriesRecord, SignatureRecord, StopCauseRecord, StopRecord, StrategyRecord, SummaryRecord,
    TimingRecord, ToolRecord, UNHASHED_FIELDS, UnscoredRecord, UsageSummary,
};
pub use recorder::{EpisodeKind, Recorder, SeedRecorder};
pub use seeds::{SEEDS_MAX, Seeds, SeedsError};
pub use statistics::{Difference, Estimate, Interval, Moments, mean_of, paired, welch};
pub use summary::{outcome_detail, outcome_name};
