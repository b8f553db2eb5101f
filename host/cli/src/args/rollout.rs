//! Flags of `assay rollout`.

use super::choices::{FiguresFormat, GradeRule};
use super::store::RecordArgs;
use clap::{Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  assay rollout run examples/bugs --model scripted --out runs/demo
  assay rollout run tasks/ --model openai:gpt-4.1-mini --concurrency 16 --samples 4 --out runs/mini
  assay rollout run tasks/ --model anthropic:claude-sonnet-4-5 --budget-usd 20 --out runs/sonnet
  assay rollout grade runs/mini
  assay rollout debug tasks/ --instance-id django__django-11001 --model openai:gpt-4.1-mini --interactive

A run is a folder: repeat the command with the same --out to resume it after Ctrl-C, a crash or a
power cut. docs/rollouts.md describes what is in it.";

/// `assay rollout`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RolloutArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: RolloutCommand,
}

/// Under `assay rollout`.
#[derive(Subcommand, Debug)]
pub(crate) enum RolloutCommand {
    /// Let a model repair the repositories of many tasks, and score each repair by the task's own tests.
    Run(RolloutRunArgs),
    /// Grade what a failure of the test engine left without a score; the model is not asked again.
    Grade(GradeArgs),
    /// Watch one episode step by step, and intervene.
    Debug(DebugArgs),
}

/// Flags that an episode depends on, wherever it runs.
#[derive(Args, Debug)]
pub(crate) struct EpisodeArgs {
    /// The tasks: a task folder, a folder of tasks, an imported task (.json), or rows of a data set (.jsonl).
    #[arg(value_name = "TASKS")]
    pub tasks: PathBuf,
    /// The model: PROVIDER:NAME (openai, anthropic, gemini, openrouter, openai-compatible), `scripted:FILE`, `cassette:FILE`, or
    /// `scripted` for the script that comes with each task. Keys come from the environment, for example `OPENAI_API_KEY`.
    #[arg(long, value_name = "SPEC", help_heading = "Model")]
    pub model: String,
    /// URL of the provider, for example `http://localhost:8000/v1`.
    #[arg(long, value_name = "URL", help_heading = "Model")]
    pub model_url: Option<String>,
    /// TOML file with prices to use instead of the built-in ones; docs/models.md describes its format.
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    pub prices: Option<PathBuf>,
    /// How much the model thinks: `off`, `low`, `medium`, `high`, or a maximum number of tokens (not with openai). [default: the provider's choice]
    #[arg(long, value_name = "LEVEL", help_heading = "Model")]
    pub reasoning: Option<String>,
    /// Record every answer of the model in this file. The same command with `--model cassette:FILE` then runs without network, key or cost.
    /// Requests that are already in the file are not sent again.
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    pub record: Option<PathBuf>,
    /// Sampling temperatures: one for all samples, or one for each; further samples use the last. [default: the provider's]
    #[arg(long, value_delimiter = ',', value_name = "T[,T…]", help_heading = "Model")]
    pub temperature: Vec<f64>,
    /// How much hotter each further sample is than the one before; --temperature is that of the first. [default: 0]
    #[arg(long, value_name = "T", help_heading = "Model")]
    pub temperature_step: Option<f64>,
    /// The hottest that --temperature-step makes a sample. [default: 1]
    #[arg(long, value_name = "T", requires = "temperature_step", help_heading = "Model")]
    pub temperature_max: Option<f64>,
    /// Send no seed to the model, for servers that refuse requests with one.
    #[arg(long, help_heading = "Model")]
    pub no_seed: bool,
    /// Maximum number of replies from the model. [default: 40]
    #[arg(long, value_name = "N", help_heading = "Limits of an episode")]
    pub steps: Option<u32>,
    /// Maximum number of tokens, input and output together. [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits of an episode")]
    pub tokens: Option<u64>,
    /// Maximum cost in dollars; needs a price for the model. [default: no limit]
    #[arg(long, value_name = "USD", help_heading = "Limits of an episode")]
    pub cost: Option<f64>,
    /// Maximum duration: `90s`, `20min`, `1h`. [default: 1h]
    #[arg(long, value_name = "TIME", help_heading = "Limits of an episode")]
    pub time: Option<String>,
    /// Maximum number of tokens in one request; older steps are left out to fit. [default: 28000]
    #[arg(long, value_name = "N", help_heading = "Limits of an episode")]
    pub context_tokens: Option<u64>,
    /// How many times the model may run the task's tests; it is told whether all of them are as they should be, and no number. [default: 20]
    #[arg(long, value_name = "N", help_heading = "What the model may do")]
    pub test_runs: Option<u32>,
    /// Let the model run shell commands in fresh containers, if the task also allows it; at most 20 per episode.
    #[arg(long, help_heading = "What the model may do")]
    pub allow_shell: bool,
    /// Let an episode go on after a `run_tests` that was worth 1, until the model says that it is done.
    #[arg(long, help_heading = "What the model may do")]
    pub no_early_stop: bool,
    /// Neither warn nor end an episode in which the model repeats the same steps.
    #[arg(long, help_heading = "What the model may do")]
    pub no_stuck_detection: bool,
    /// What to tell a model that repeats itself or writes no code, instead of our own advice.
    #[arg(long, value_name = "TEXT", help_heading = "What the model may do")]
    pub nudge: Option<String>,
    /// The rule for scoring tests.
    #[arg(long, value_enum, default_value_t = GradeRule::Strict, help_heading = "Tests")]
    pub rule: GradeRule,
    /// The container engine: `unix:///run/docker.sock`, `tcp://HOST:PORT`, `ssh://USER@HOST`. [default: the local one]
    #[arg(long, env = "DOCKER_HOST", value_name = "URL", help_heading = "Tests")]
    pub docker_url: Option<String>,
    /// Cache for repositories taken from images, so that an episode can start without a container. [default: in --cache-dir]
    #[arg(long, value_name = "DIR", help_heading = "Tests")]
    pub image_cache: Option<PathBuf>,
    /// Number of images that this command pulled to keep; those used longest ago are removed when another one is needed. [default: all]
    #[arg(long, value_name = "N", help_heading = "Tests")]
    pub images_max: Option<NonZeroUsize>,
    /// Only tasks whose id matches: `*` is any text, `?` any character; may be repeated.
    #[arg(long, value_name = "GLOB", help_heading = "Tasks")]
    pub instance_id: Vec<String>,
    /// Seed of the run; the seeds of sessions and samples are derived from it.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
}

/// `assay rollout run`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay rollout run examples/bugs --model scripted --out runs/demo\n  assay rollout run tasks/ --model openai:gpt-4.1-mini --samples 4 --concurrency 16 --out runs/mini\n  assay rollout run tasks/ --model openai-compatible:Qwen/Qwen3-Coder --model-url http://localhost:8000/v1\n  assay rollout run tasks/ --model openai:gpt-4.1 --instance-id 'django__*' --limit 10 --budget-usd 5 --dry-run\n  assay rollout run tasks/ --model gemini:gemini-2.5-pro --reasoning high --record pro.jsonl --out runs/pro\n  assay rollout run tasks/ --model cassette:pro.jsonl --reasoning high --out runs/again\n  assay rollout run tasks/ --model openai:gpt-4.1-mini --out runs/mini --retry-unscored\n\nRepeat the command to resume the run: episodes that have a score are not run again. Episodes without a\nscore (no engine, no provider: never a 0) are retried with --retry-unscored; where the work was done,\nonly the tests run again, as with `assay rollout grade`. Rewards are shown with\n95 % intervals, clustered by task; pass@k is the unbiased estimator.\n\nThe run is also recorded in the store: `assay runs --kind rollout` lists all runs, `assay compare` compares two.\n\nA spent budget lets what is under way end, grades it and begins nothing more. Ctrl-C discards the episodes\nthat are running and keeps all others; a second Ctrl-C stops immediately.\n\nExit codes: 0 every episode has a score, 2 usage error (also a rejected key or a spent budget), 4 some\nepisodes have no score, 130 interrupted."
)]
pub(crate) struct RolloutRunArgs {
    /// What episodes depend on.
    #[command(flatten)]
    pub episode: EpisodeArgs,
    /// Folder of the run; created if it does not exist, resumed if it does.
    #[arg(long, default_value = "rollout", value_name = "DIR")]
    pub out: PathBuf,
    /// Number of episodes per task.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub samples: u32,
    /// Number of episodes to run in parallel.
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub concurrency: usize,
    /// Run only the first N tasks.
    #[arg(long, value_name = "N", help_heading = "Tasks")]
    pub limit: Option<usize>,
    /// Maximum number of attempts at an episode when the infrastructure fails; after that, the episode has no score.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub attempts: u32,
    /// Retry episodes that have no score; where the model's work was done, only the tests run again.
    #[arg(long)]
    pub retry_unscored: bool,
    /// Maximum cost of this invocation in dollars; needs a price for the model. [default: no limit]
    #[arg(long, value_name = "USD", help_heading = "Model")]
    pub budget_usd: Option<f64>,
    /// Maximum number of tokens of this invocation, input and output together. [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Model")]
    pub budget_tokens: Option<u64>,
    /// Print what would be run and what it would take, and begin nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Of the solved episodes without a flag, keep the trajectory and grading artifacts of this many in a thousand, chosen by the episode's id. All
    /// other episodes are always kept.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u16).range(0..=1000), value_name = "N")]
    pub keep_logs: u16,
    /// Append what happens to this file, pipe or descriptor (`/dev/fd/3`), as JSON lines: turns, calls, and what the model says while it says it. A reader
    /// that is too slow misses lines; the run does not wait for it.
    #[arg(long, value_name = "PATH")]
    pub events: Option<PathBuf>,
    /// Format of the summary on standard output.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Table)]
    pub format: FiguresFormat,
    /// The store.
    #[command(flatten, next_help_heading = "Store")]
    pub recording: RecordArgs,
}

/// `assay rollout grade`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay rollout grade runs/mini\n  assay rollout grade runs/mini --docker-url ssh://me@bench\n\nThe run's folder says what its episodes changed and where its tasks are. Each episode whose work ended and\nwhose files have no score is graded from that record, by the rule that the run began with. The model is not\nasked, and nothing is paid again.\n\nExit codes: 0 every episode has a score, 2 usage error, 4 some episodes have no score, 130 interrupted."
)]
pub(crate) struct GradeArgs {
    /// Folder of the run.
    #[arg(value_name = "DIR")]
    pub run: PathBuf,
    /// The tasks, if they are no longer where they were when the run began.
    #[arg(long, value_name = "PATH")]
    pub tasks: Option<PathBuf>,
    /// Number of episodes to grade in parallel; tests also wait for a free processor.
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub concurrency: usize,
    /// Maximum number of attempts at grading an episode when the engine fails.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub attempts: u32,
    /// The container engine: `unix:///run/docker.sock`, `tcp://HOST:PORT`, `ssh://USER@HOST`. [default: the local one]
    #[arg(long, env = "DOCKER_HOST", value_name = "URL")]
    pub docker_url: Option<String>,
    /// Cache for repositories taken from images. [default: in --cache-dir]
    #[arg(long, value_name = "DIR")]
    pub image_cache: Option<PathBuf>,
    /// Number of images that this command pulled to keep; those used longest ago are removed when another one is needed. [default: all]
    #[arg(long, value_name = "N")]
    pub images_max: Option<NonZeroUsize>,
    /// Format of the summary on standard output.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Table)]
    pub format: FiguresFormat,
    /// The store.
    #[command(flatten, next_help_heading = "Store")]
    pub recording: RecordArgs,
}

/// `assay rollout debug`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay rollout debug examples/bugs --instance-id 'stash*' --model scripted\n  assay rollout debug tasks/ --instance-id django__django-11001 --model openai:gpt-4.1-mini --interactive\n\nWith --interactive the episode waits before each request and each cell:\n  Enter  continue         e  edit the code in $EDITOR and run that instead\n  m TEXT say TEXT to the model     s  stop the episode     q  quit immediately\nAnswers may be piped in. Without an engine the episode still runs; it ends as `unscored: no test engine`."
)]
pub(crate) struct DebugArgs {
    /// What the episode depends on.
    #[command(flatten)]
    pub episode: EpisodeArgs,
    /// Which sample of the task to run; it determines the seed.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub sample: u32,
    /// Stop before each step and ask what to do.
    #[arg(long)]
    pub interactive: bool,
    /// Keep the episode in this folder, as `assay rollout run` does. [default: a new folder in `rollout-debug`]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
