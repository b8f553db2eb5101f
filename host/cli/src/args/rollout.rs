//! Flags of `assay rollout`.

use super::store::RecordArgs;
use super::tasks::GradeRule;
use super::trace::FiguresFormat;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  assay rollout run examples/bugs --model scripted --out runs/demo
  assay rollout run tasks/ --model openai:gpt-4.1-mini --concurrency 16 --samples 4 --out runs/mini
  assay rollout run tasks/ --model anthropic:claude-sonnet-4-5 --budget-usd 20 --out runs/sonnet
  assay rollout debug tasks/ --instance-id django__django-11001 --model openai:gpt-4.1-mini --interactive

A run is a folder: repeat the command with the same --out and it goes on where it was, after Ctrl-C,
a crash or a power cut. docs/rollouts.md says what is in it.";

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
    /// Let a model repair the repositories of many tasks, and score each by its own tests.
    Run(RolloutRunArgs),
    /// Watch one episode step by step, and step in.
    Debug(DebugArgs),
}

/// Flags that an episode depends on, wherever it runs.
#[derive(Args, Debug)]
pub(crate) struct EpisodeArgs {
    /// The tasks: a task folder, a folder of tasks, an imported task (.json), or rows of a data set (.jsonl).
    #[arg(value_name = "TASKS")]
    pub tasks: PathBuf,
    /// The model: PROVIDER:NAME (openai, anthropic, gemini, openrouter, openai-compatible), `scripted:FILE`, `cassette:FILE`, or
    /// `scripted` for the script that each task brings along. Keys come from the environment, for example `OPENAI_API_KEY`.
    #[arg(long, value_name = "SPEC", help_heading = "Model")]
    pub model: String,
    /// Where the provider listens, for example `http://localhost:8000/v1`.
    #[arg(long, value_name = "URL", help_heading = "Model")]
    pub model_url: Option<String>,
    /// Prices to use instead of the built-in ones; a TOML file in the form of docs/models.md.
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    pub prices: Option<PathBuf>,
    /// How much the model thinks: `off`, `low`, `medium`, `high`, or a maximum number of tokens (not with openai). [default: the provider's choice]
    #[arg(long, value_name = "LEVEL", help_heading = "Model")]
    pub reasoning: Option<String>,
    /// Keep every answer of the model in this file. The same command with `--model cassette:FILE` then runs without network, key and cost; what
    /// the file knows already is not asked again.
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    pub record: Option<PathBuf>,
    /// Sampling temperatures: one for all samples, or one for each; further samples take the last. [default: the provider's]
    #[arg(long, value_delimiter = ',', value_name = "T[,T…]", help_heading = "Model")]
    pub temperature: Vec<f64>,
    /// Replies of the model, at most. [default: 40]
    #[arg(long, value_name = "N", help_heading = "Limits of an episode")]
    pub steps: Option<u32>,
    /// Tokens, input and output, at most. [default: no limit]
    #[arg(long, value_name = "N", help_heading = "Limits of an episode")]
    pub tokens: Option<u64>,
    /// Money in dollars, at most; needs a price for the model. [default: no limit]
    #[arg(long, value_name = "USD", help_heading = "Limits of an episode")]
    pub cost: Option<f64>,
    /// Time, at most: `90s`, `20min`, `1h`. [default: 1h]
    #[arg(long, value_name = "TIME", help_heading = "Limits of an episode")]
    pub time: Option<String>,
    /// Tokens of one request, at most; older steps are left out. [default: 28000]
    #[arg(long, value_name = "N", help_heading = "Limits of an episode")]
    pub context_tokens: Option<u64>,
    /// Runs of the task's tests that the model may ask for; it is told how many are as they should be. [default: 20]
    #[arg(long, value_name = "N", help_heading = "What the model may do")]
    pub test_runs: Option<u32>,
    /// Let the model run shell commands in fresh containers where the task allows it too; at most 20 in an episode.
    #[arg(long, help_heading = "What the model may do")]
    pub allow_shell: bool,
    /// By which rule tests are scored.
    #[arg(long, value_enum, default_value_t = GradeRule::Strict, help_heading = "Tests")]
    pub rule: GradeRule,
    /// The container engine: `unix:///run/docker.sock`, `tcp://HOST:PORT`, `ssh://USER@HOST`. [default: the local one]
    #[arg(long, env = "DOCKER_HOST", value_name = "URL", help_heading = "Tests")]
    pub docker_url: Option<String>,
    /// Where repositories of images are kept, so that an episode can begin without a container. [default: in --cache-dir]
    #[arg(long, value_name = "DIR", help_heading = "Tests")]
    pub image_cache: Option<PathBuf>,
    /// Only tasks whose id fits: `*` is any text, `?` any character; may be repeated.
    #[arg(long, value_name = "GLOB", help_heading = "Tasks")]
    pub instance_id: Vec<String>,
    /// The run's seed: sessions and samples derive theirs from it.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
}

/// `assay rollout run`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay rollout run examples/bugs --model scripted --out runs/demo\n  assay rollout run tasks/ --model openai:gpt-4.1-mini --samples 4 --concurrency 16 --out runs/mini\n  assay rollout run tasks/ --model openai-compatible:Qwen/Qwen3-Coder --model-url http://localhost:8000/v1\n  assay rollout run tasks/ --model openai:gpt-4.1 --instance-id 'django__*' --limit 10 --budget-usd 5\n  assay rollout run tasks/ --model gemini:gemini-2.5-pro --reasoning high --record pro.jsonl --out runs/pro\n  assay rollout run tasks/ --model cassette:pro.jsonl --reasoning high --out runs/again\n  assay rollout run tasks/ --model openai:gpt-4.1-mini --out runs/mini --retry-unscored\n\nThe same command again goes on where the run was: what has a score is not repeated. Episodes without a\nscore (no engine, no provider: never a 0) are tried again with --retry-unscored. Rewards are shown with\n95 % intervals, clustered by task; pass@k is the unbiased estimator.\n\nThe run is recorded in the store as well: `assay runs --kind rollout` lists what there is, `assay compare` compares two.\n\nCtrl-C undoes the episodes that are running and keeps all others; a second one stops at once.\n\nExit codes: 0 every episode has a score, 2 usage (also a refused key, a spent budget), 4 some have none,\n130 interrupted."
)]
pub(crate) struct RolloutRunArgs {
    /// What episodes depend on.
    #[command(flatten)]
    pub episode: EpisodeArgs,
    /// Folder of the run; made if it is not there, gone on with if it is.
    #[arg(long, default_value = "rollout", value_name = "DIR")]
    pub out: PathBuf,
    /// Episodes of each task.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub samples: u32,
    /// Episodes at once.
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub concurrency: usize,
    /// Run only the first N tasks.
    #[arg(long, value_name = "N", help_heading = "Tasks")]
    pub limit: Option<usize>,
    /// Attempts at an episode before it stays without a score, when the infrastructure fails.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub attempts: u32,
    /// Try episodes without a score again.
    #[arg(long)]
    pub retry_unscored: bool,
    /// Money of the whole run in dollars, this invocation; needs a price for the model. [default: no limit]
    #[arg(long, value_name = "USD", help_heading = "Model")]
    pub budget_usd: Option<f64>,
    /// Of the solved episodes without a flag, keep the trajectory and what was graded for this many in a thousand, chosen by the episode's id; all
    /// others are always kept.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u16).range(0..=1000), value_name = "N")]
    pub keep_logs: u16,
    /// How the summary is written to standard output.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Table)]
    pub format: FiguresFormat,
    /// The store.
    #[command(flatten, next_help_heading = "Store")]
    pub recording: RecordArgs,
}

/// `assay rollout debug`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay rollout debug examples/bugs --instance-id 'stash*' --model scripted\n  assay rollout debug tasks/ --instance-id django__django-11001 --model openai:gpt-4.1-mini --interactive\n\nWith --interactive the episode waits before each request and each cell:\n  Enter  go on            e  edit the code in $EDITOR and run that instead\n  m TEXT say TEXT to the model     s  stop the episode     q  quit at once\nAnswers may be piped in. Without an engine the episode still runs; it ends `unscored: no test engine`."
)]
pub(crate) struct DebugArgs {
    /// What the episode depends on.
    #[command(flatten)]
    pub episode: EpisodeArgs,
    /// Which sample of the task: the seed follows from it.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub sample: u32,
    /// Wait before each step for what you decide.
    #[arg(long)]
    pub interactive: bool,
    /// Keep the episode in this folder, as `assay rollout run` does. [default: it is not kept]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
