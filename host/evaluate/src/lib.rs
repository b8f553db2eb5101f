//! A strategy over seeds against an inert baseline: measures, paired differences with intervals, and the record of the run.
//!
//! [`evaluate`] runs each seed twice in the same market, once with the strategy and once with a trader in its place that does
//! nothing, so a difference is due to the strategy alone. What the strategy did wrong is part of the [`RunRecord`]; what went wrong
//! on our side leaves the seed unscored.

mod baselines;
mod contender;
mod convert;
mod evaluate;
mod profile;
mod record;
mod recorder;
mod seeds;
mod statistics;
mod summary;

pub use baselines::{BASELINES_MAX, Baselines};
pub use contender::{BASELINE, Contender, Guest, GuestTrader, Infrastructure, Native};
pub use evaluate::{
    BACKTRACE_BYTES_MAX, BACKTRACES_MAX, CURVE_POINTS, EvaluateError, Progress, RECORD_LOG_BYTES_MAX, SeedResult,
    Trial, evaluate,
};
pub use profile::{PROFILED_FUNCTIONS_MAX, profile};
pub use record::{
    BacktraceRecord, CallbackSummary, CountRecord, DearestCall, DepthRecord, DiagnosticsRecord, EpisodeRecord,
    FillRecord, FindingRecord, FunctionRecord, LogRecord, MeasureDefinition, MeasureMap, MeasureRecord, MeasureSummary,
    ProfileRecord, RangeRecord, RecordingRecord, ReplayRecord, RunRecord, RunVerdict, SCHEMA_JSON, SCHEMA_NAME,
    SCHEMA_VERSION, ScenarioRecord, SchemaRecord, SeriesRecord, SignatureRecord, StopCauseRecord, StopRecord,
    StrategyRecord, SummaryRecord, TimingRecord, ToolRecord, UNHASHED_FIELDS, UnscoredRecord, UsageSummary,
};
pub use recorder::{EpisodeKind, Recorder, SeedRecorder};
pub use seeds::{SEEDS_MAX, Seeds, SeedsError};
pub use statistics::{Confidence, Difference, Estimate, Interval, Moments, SeedSample, Tail, mean_of, paired, welch};
pub use summary::{outcome_detail, outcome_name};
