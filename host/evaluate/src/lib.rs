//! A strategy over seeds against an inert baseline: measures, paired differences with intervals, and the record of the run.
//!
//! [`evaluate`] runs each seed twice in the same market, once with the strategy and once with a trader in its place that does
//! nothing, so a difference is due to the strategy alone. What the strategy did wrong is part of the [`RunRecord`]; what went wrong
//! on our side leaves the seed unscored.

mod again;
mod arena;
mod baselines;
pub mod board;
mod contender;
mod contradictions;
mod convert;
mod data_name;
mod episode;
mod evaluate;
mod markets;
mod observation;
mod outcome;
mod profile;
mod record;
mod recorder;
mod schema_of;
pub mod score;
mod score_record;
mod seeds;
mod statistics;
mod summary;

pub use again::Checked;
pub use arena::{
    ARENA_SCHEMA_NAME, ARENA_SCHEMA_VERSION, Arena, ArenaRecord, Entrant, EntrantRecord, FAILED_NOTE, Flow, FlowRecord,
    Flows, GameRecord, PairRecord, PlayerRecord, Rating, THE_MARKET, arena, rate,
};
pub use baselines::{BASELINES_MAX, Baselines};
pub use contender::{BASELINE, Contender, Guest, GuestTrader, Infrastructure, Native};
pub use convert::family_of;
pub use data_name::data_name;
pub use evaluate::{
    BACKTRACE_BYTES_MAX, BACKTRACES_MAX, CURVE_POINTS, EvaluateError, Progress, RECORD_LOG_BYTES_MAX, SeedResult,
    Trial, episodes, evaluate, evaluate_against, not_run,
};
pub use markets::{MARKETS_SCHEMA_NAME, MARKETS_SCHEMA_VERSION, MarketRecord, MarketsRecord};
pub use observation::{
    HALTS_MAX, HaltRecord, JUMPS_MAX, JumpRecord, KindRecord, OBSERVATION_SCHEMA_NAME, OBSERVATION_SCHEMA_VERSION,
    ObservationRecord, ObservedMeasure, Watch, observe,
};
pub use outcome::{outcome_detail, outcome_name};
pub use profile::{PROFILED_FUNCTIONS_MAX, profile};
pub use record::{
    BacktraceRecord, CallbackSummary, CountRecord, DearestCall, DepthRecord, DiagnosticsRecord, EpisodeRecord,
    FillRecord, FindingRecord, FunctionRecord, LogRecord, MeasureDefinition, MeasureMap, MeasureRecord, MeasureSummary,
    ProfileRecord, RangeRecord, RecordingRecord, ReplayRecord, RunRecord, RunVerdict, SCHEMA_JSON, SCHEMA_NAME,
    SCHEMA_VERSION, ScenarioRecord, SchemaRecord, SeriesRecord, SignatureRecord, StopCauseRecord, StopRecord,
    StrategyRecord, SummaryRecord, TimingRecord, ToolRecord, UNHASHED_FIELDS, UnscoredRecord, UsageSummary,
};
pub use recorder::{EpisodeKind, Recorder, SeedRecorder};
pub use schema_of::{SchemaError, check_schema};
pub use score_record::{Goal, ScoreRecord};
pub use seeds::{SEEDS_MAX, Seeds, SeedsError};
pub use statistics::{
    Confidence, DOMINANT_SHARE, Difference, Estimate, EvidenceRecord, FamilyRecord, Interval, Luck, MORE_MARKETS_HINT,
    Moments, RANKED_MAX, Sample, Standing, TAIL_SHARE, Tail, TailRecord, deflated_sharpe, holm,
    overfitting_probability, ranks, student_interval, unseen_loss_rate, welch,
};
