//! Flags of `assay trace`.

use super::choices::{FiguresFormat, GradeRule};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  assay trace show runs/a.jsonl --steps 3..9 --role assistant,tool
  assay trace stats runs/*.jsonl                       one line per episode, and the totals
  assay trace diff runs/a.jsonl runs/b.jsonl           where two episodes diverge
  assay trace replay a.jsonl --tasks tasks/            run its code again, compare every state
  assay trace verify runs/*.jsonl                      the first bad line of each, if any
  assay trace export runs/*.jsonl --to chat --out good.jsonl
  assay trace import sessions.jsonl --out traces/       what other tools recorded
  assay trace rescore runs/*.jsonl --rule swe_bench     a new score, nothing is run

FILE is a trajectory (docs/trajectories.md); `-` is standard input. A file that was cut off by a crash
is read up to its last complete line, with a warning.";

/// `assay trace`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TraceArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TraceCommand,
}

/// Under `assay trace`.
#[derive(Subcommand, Debug)]
pub(crate) enum TraceCommand {
    /// Print an episode: the messages, the events and the score.
    Show(ShowArgs),
    /// Count tokens, cost, time, tools and steps of one episode or of many.
    Stats(StatsArgs),
    /// Show where two episodes diverge; exits with code 0 if they are the same, 1 if not.
    Diff(DiffArgs),
    /// Check the hash chain of files; exits with code 0 if all are intact, 1 if not.
    Verify(VerifyArgs),
    /// Export episodes to the formats of other tools.
    Export(ExportArgs),
    /// Import what other tools recorded; each episode becomes a trajectory file.
    Import(TraceImportArgs),
    /// Score episodes again from their stored test results; nothing is run.
    Rescore(RescoreArgs),
    /// Run an episode's code again and compare every state with the record; exits with code 0 if all are equal, 1 if not.
    Replay(ReplayArgs),
}

/// `assay trace replay`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay trace replay runs/demo/episodes/slotbook.s1.jsonl --tasks examples/bugs\n\nNo model is called and no test runs: replies, tool answers and test results come from the record. The output,\nfuel and state hash of every cell must be the same, to the bit. Sub-agents whose files are next to the\ntrajectory are replayed as well.\n\nWith --files-at, the files after a step are written as JSON instead: the tree, what has changed since the beginning, and what\nthe step changed."
)]
pub(crate) struct ReplayArgs {
    /// The trajectory.
    pub file: PathBuf,
    /// The tasks of the run, as for `assay rollout run`: they contain the files that the episode started with.
    #[arg(long, value_name = "TASKS")]
    pub tasks: PathBuf,
    /// Replay up to this step, and write the files after it as JSON.
    #[arg(long, value_name = "N")]
    pub files_at: Option<usize>,
    /// With --files-at: a file whose text is written, too.
    #[arg(long, value_name = "PATH", requires = "files_at")]
    pub show: Option<String>,
    /// The container engine, needed if the files are in an image that is not in the cache.
    #[arg(long, env = "DOCKER_HOST", value_name = "URL")]
    pub docker_url: Option<String>,
    /// Cache for repositories taken from images. [default: in --cache-dir]
    #[arg(long, value_name = "DIR")]
    pub image_cache: Option<PathBuf>,
}

/// `assay trace import`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay trace import sessions.jsonl\n  assay trace import logs/*.json --out traces/\n  zcat rows.jsonl.gz | assay trace import -\n\nReads, told apart by what is in them: chat rows (`messages`), single messages (`role`), lines with `_type`, ATIF documents and Inspect\nlogs; one value per line, or one document. Unknown fields are kept in `meta`, unknown events as they are. A line that cannot be\nread is named, and all others are imported. An episode that is already there is left alone.\n\nExit codes: 0 everything is imported, 2 something could not be read."
)]
pub(crate) struct TraceImportArgs {
    /// The files; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Folder for the trajectories; created if it does not exist.
    #[arg(long, default_value = "traces", value_name = "DIR")]
    pub out: PathBuf,
}

/// `assay trace rescore`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay trace rescore runs/a.jsonl --rule r2e_compat\n  assay trace rescore runs/*.jsonl --rule strict --dry-run\n\nThe log, the exit code and the report of the last grading are in the folder that the trajectory names, next\nto it; files that have changed are refused. The new score is appended: earlier scores stay, and the\nlast one counts."
)]
pub(crate) struct RescoreArgs {
    /// The trajectories.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The rule to score by.
    #[arg(long, value_enum, value_name = "RULE")]
    pub rule: GradeRule,
    /// Only show the new scores.
    #[arg(long)]
    pub dry_run: bool,
    /// The folder that artifact paths are relative to. [default: the folder of each trajectory]
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

/// `assay trace show`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay trace show run.jsonl\n  assay trace show run.jsonl --steps 3..9 --role assistant\n  assay trace show run.jsonl --tool run_tests --lines 200\n  zcat run.jsonl.gz | assay trace show -"
)]
pub(crate) struct ShowArgs {
    /// The trajectory; `-` is standard input.
    pub file: PathBuf,
    /// Only these steps: `4`, `3..9` for 3 to 9, `3..` or `..9`. A step begins with a message of the model; 0 is what comes before.
    #[arg(long, value_name = "STEPS")]
    pub steps: Option<String>,
    /// Only messages of these roles.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "ROLE")]
    pub role: Vec<RoleName>,
    /// Only what concerns this tool: its calls, its answers, its runs.
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Only steps in which this flag was raised.
    #[arg(long, value_name = "NAME")]
    pub flag: Option<String>,
    /// Maximum number of lines of each text; the rest is counted.
    #[arg(long, default_value = "20", value_name = "N")]
    pub lines: usize,
}

/// Who speaks.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RoleName {
    /// The instructions.
    System,
    /// The user, or whatever stands in for one.
    User,
    /// The model.
    Assistant,
    /// A tool's answer.
    Tool,
}

/// `assay trace stats`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay trace stats run.jsonl                    one episode, step by step\n  assay trace stats runs/*.jsonl                 one line per episode, and the totals\n  assay trace stats runs/*.jsonl --format json\n\nA total with unknown parts is shown as its known part with a `+`: 1200+ is at least 1200."
)]
pub(crate) struct StatsArgs {
    /// The trajectories; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// How to write the figures.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Table)]
    pub format: FiguresFormat,
}

/// `assay trace diff`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay trace diff a.jsonl b.jsonl\n  assay trace diff a.jsonl b.jsonl --format json | jq .first_action\n\nTwo episodes are the same if they did the same things with the same arguments, every recorded state\nhash is the same, and so is the score. What was said along the way does not count, and neither do\ntimes."
)]
pub(crate) struct DiffArgs {
    /// One trajectory; `-` is standard input.
    #[arg(value_name = "A")]
    pub left: PathBuf,
    /// The other one.
    #[arg(value_name = "B")]
    pub right: PathBuf,
    /// How to show the differences.
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    pub format: DiffFormat,
}

/// Output formats of `assay trace diff`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DiffFormat {
    /// For a person: actions side by side, then where they diverge.
    Text,
    /// For a program.
    Json,
}

/// `assay trace verify`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay trace verify run.jsonl\n  assay trace verify runs/*.jsonl\n\nEvery line vouches for all lines before it. Removing whole lines from the end leaves a shorter file\nthat is still intact: to rule that out, compare the last hash, or check that there is a score."
)]
pub(crate) struct VerifyArgs {
    /// The trajectories; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `assay trace export`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay trace export runs/*.jsonl --to chat --out good.jsonl\n  assay trace export runs/*.jsonl --to chat --max-tokens 50000 --max-seconds 600 --out short.jsonl\n  assay trace export runs/a.jsonl runs/a.sub.jsonl --to atif --out a.atif.json\n  assay trace export runs/*.jsonl --to inspect --all --out log.json\n  assay trace export runs/*.jsonl --to steps --out pairs.jsonl\n  assay trace export runs/*.jsonl --to otel --all --out spans.jsonl\n\nWithout --all, --outcome or --min-reward, only successes are exported. A chat file has one row per episode. An Inspect log has one sample per episode, all of one model. An ATIF\ndocument has one episode, with its sub-agents if their files are named too, and its images in\nthe folder `images` next to it."
)]
pub(crate) struct ExportArgs {
    /// The trajectories; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The format to write.
    #[arg(long, value_enum, value_name = "FORM")]
    pub to: ExportForm,
    /// The file to write; an existing one is not touched. [default: standard output]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Only episodes with at least this reward; an unscored one has none.
    #[arg(long, value_name = "REWARD", allow_negative_numbers = true)]
    pub min_reward: Option<f64>,
    /// Only episodes with these outcomes.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "OUTCOME")]
    pub outcome: Vec<OutcomeName>,
    /// Export all episodes, whatever became of them. [default: only successes]
    #[arg(long, conflicts_with_all = ["outcome", "min_reward"])]
    pub all: bool,
    /// Only episodes with at most this reward; an unscored one has none.
    #[arg(long, value_name = "REWARD", allow_negative_numbers = true)]
    pub max_reward: Option<f64>,
    /// Only episodes that used at most this many tokens, input and output together; one whose use is unknown is left out.
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// Only episodes that cost at most this much, in dollars; one whose cost is unknown is left out.
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<f64>,
    /// Only episodes that took at most this many seconds, from their start to the last thing recorded.
    #[arg(long, value_name = "SECONDS")]
    pub max_seconds: Option<f64>,
    /// Only episodes whose model took at most this many seconds for an answer, in the median.
    #[arg(long, value_name = "SECONDS")]
    pub max_latency: Option<f64>,
    /// Chat rows and steps: keep flagged episodes, for example those suspected of cheating.
    #[arg(long)]
    pub keep_flagged: bool,
    /// Chat rows and steps: keep episodes with malformed tool calls; a model trained on them learns to write malformed calls.
    #[arg(long)]
    pub keep_malformed: bool,
    /// OpenTelemetry: also what the model said, thought and ran. [default: only what it took]
    #[arg(long)]
    pub content: bool,
}

/// Forms of other tools.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExportForm {
    /// Fine-tuning rows, JSON lines: `{"messages": …, "tools": …}`.
    Chat,
    /// A pair for each message of the model, JSON lines: `{"prompt": …, "completion": …}`, with what it thought.
    Steps,
    /// The Agent Trajectory Interchange Format, 1.8.
    Atif,
    /// A log of Inspect AI, version 2.
    Inspect,
    /// OpenTelemetry spans by the conventions for generative AI, JSON lines of OTLP.
    Otel,
}

/// How an episode ended.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
#[value(rename_all = "snake_case")]
pub(crate) enum OutcomeName {
    /// The task is solved.
    Success,
    /// It is not.
    Failure,
    /// A limit of time or budget ended it.
    Timeout,
    /// Something was done that must never be done.
    SafetyViolation,
}
