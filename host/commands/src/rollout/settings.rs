//! What the commands of `assay rollout` are told: plain values, not yet checked against the world.

use crate::settings::{FiguresFormat, GradeRule, RecordSettings};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What an episode depends on, wherever it runs.
#[derive(Clone, Debug)]
pub struct EpisodeSettings {
    /// The tasks: a task folder, a folder of tasks, an imported task, or rows of a data set.
    pub tasks: PathBuf,
    /// The model: `PROVIDER:NAME`, `scripted:FILE`, `cassette:FILE`, or `scripted` for the script that comes with each task.
    pub model: String,
    /// URL of the provider.
    pub model_url: Option<String>,
    /// TOML file with prices to use instead of the built-in ones.
    pub prices: Option<PathBuf>,
    /// How much the model thinks: a level, or a maximum number of tokens; otherwise the provider's choice.
    pub reasoning: Option<String>,
    /// The file in which every answer of the model is recorded.
    pub record: Option<PathBuf>,
    /// Sampling temperatures: one for all samples, or one for each; none is the provider's.
    pub temperature: Vec<f64>,
    /// How much hotter each further sample is than the one before.
    pub temperature_step: Option<f64>,
    /// The hottest that the step makes a sample.
    pub temperature_max: Option<f64>,
    /// No seed is sent to the model.
    pub no_seed: bool,
    /// Maximum number of replies from the model.
    pub steps: Option<u32>,
    /// Maximum number of tokens, input and output together.
    pub tokens: Option<u64>,
    /// Maximum cost in dollars.
    pub cost: Option<f64>,
    /// Maximum duration, as text: `90s`, `20min`, `1h`.
    pub time: Option<String>,
    /// Maximum number of tokens in one request.
    pub context_tokens: Option<u64>,
    /// How many times the model may run the task's tests.
    pub test_runs: Option<u32>,
    /// The model may run shell commands, if the task also allows it.
    pub allow_shell: bool,
    /// An episode goes on after tests that were worth 1.
    pub no_early_stop: bool,
    /// A model that repeats the same steps is neither warned nor stopped.
    pub no_stuck_detection: bool,
    /// What a model is told that repeats itself or writes no code, instead of our own advice.
    pub nudge: Option<String>,
    /// The rule for scoring tests.
    pub rule: GradeRule,
    /// The container engine; otherwise the local one.
    pub docker_url: Option<String>,
    /// Cache for repositories taken from images; otherwise in the cache folder.
    pub image_cache: Option<PathBuf>,
    /// Pulled images that are kept, if not all.
    pub images_max: Option<NonZeroUsize>,
    /// Only tasks whose id matches one of these: `*` is any text, `?` any character.
    pub instance_id: Vec<String>,
    /// Seed of the run.
    pub seed: u64,
}

/// What `assay rollout run` is told.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// What episodes depend on.
    pub episode: EpisodeSettings,
    /// Folder of the run; created if it does not exist, resumed if it does.
    pub out: PathBuf,
    /// Number of episodes per task.
    pub samples: u32,
    /// Number of episodes in parallel.
    pub concurrency: usize,
    /// Limit to the first N tasks.
    pub limit: Option<usize>,
    /// Maximum number of attempts at an episode when the infrastructure fails.
    pub attempts: u32,
    /// Episodes that have no score are tried again.
    pub retry_unscored: bool,
    /// Maximum cost of this start in dollars.
    pub budget_usd: Option<f64>,
    /// Maximum number of tokens of this start, input and output together.
    pub budget_tokens: Option<u64>,
    /// What would be run is said, and nothing is begun.
    pub dry_run: bool,
    /// Of a thousand solved episodes without a flag, how many keep their trajectory and grading artifacts.
    pub keep_logs: u16,
    /// The file, pipe or descriptor to which what happens is appended, as JSON lines.
    pub events: Option<PathBuf>,
    /// Format of the summary.
    pub format: FiguresFormat,
    /// Where the run is recorded.
    pub recording: RecordSettings,
}

/// What `assay rollout grade` is told.
#[derive(Clone, Debug)]
pub struct GradeSettings {
    /// Folder of the run.
    pub run: PathBuf,
    /// The tasks, if they are no longer where they were when the run began.
    pub tasks: Option<PathBuf>,
    /// Number of episodes that are graded in parallel.
    pub concurrency: usize,
    /// Maximum number of attempts at grading an episode when the engine fails.
    pub attempts: u32,
    /// The container engine; otherwise the local one.
    pub docker_url: Option<String>,
    /// Cache for repositories taken from images; otherwise in the cache folder.
    pub image_cache: Option<PathBuf>,
    /// Pulled images that are kept, if not all.
    pub images_max: Option<NonZeroUsize>,
    /// Format of the summary.
    pub format: FiguresFormat,
    /// Where the run is recorded.
    pub recording: RecordSettings,
}

/// What `assay rollout debug` is told.
#[derive(Clone, Debug)]
pub struct DebugSettings {
    /// What the episode depends on.
    pub episode: EpisodeSettings,
    /// Which sample of the task is run; it determines the seed.
    pub sample: u32,
    /// It stops before each step and asks what to do.
    pub interactive: bool,
    /// Folder in which the episode is kept; otherwise a new one.
    pub out: Option<PathBuf>,
}
