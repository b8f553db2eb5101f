//! What has been run: listing, one run, comparison, board, removal, export.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Which store.
#[derive(Args, Clone, Debug)]
pub(crate) struct StoreArgs {
    /// Where runs are recorded: a file, or `postgres://USER@HOST/DATABASE`. [default: .assay/store.db of the project]
    #[arg(long, env = "ASSAY_STORE", value_name = "FILE|URL", hide_env_values = true)]
    pub store: Option<String>,
    /// Where files of runs are kept: a folder, or `s3://BUCKET/PREFIX`. [default: artifacts, beside the store]
    #[arg(long, env = "ASSAY_ARTIFACTS", value_name = "DIR|URL")]
    pub artifacts: Option<String>,
}

/// Whether and where a command records what it does.
#[derive(Args, Clone, Debug)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    /// Do not record this in the store.
    #[arg(long)]
    pub no_store: bool,
}

/// `assay runs`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay runs --status failed --since 1d\n  assay runs --strategy my-strategy --scenario rmsc04\n  assay runs --limit 100 --page 2\n\nA run whose process is gone without a last word is shown as lost."
)]
pub(crate) struct RunsArgs {
    /// Only those with this status.
    #[arg(long, value_enum)]
    pub status: Option<StatusName>,
    /// Only those in this scenario; of rollouts: with tasks of this name.
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Only those of this strategy: its file name, with or without .rs or .py. Of the gate: the name in its verdict; of rollouts: the model.
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Only those of this kind.
    #[arg(long, value_enum)]
    pub kind: Option<KindName>,
    /// Only those asked for since then: a day such as 2026-05-31 (UTC), or a span back from now such as 30min, 2h, 7d.
    #[arg(long, value_name = "DAY|SPAN")]
    pub since: Option<String>,
    /// Runs on a page.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: u32,
    /// Which page.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub page: u32,
    /// For programs.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// Statuses of runs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StatusName {
    /// Asked for, not begun.
    Pending,
    /// Under way, or lost.
    Running,
    /// Came to its end.
    Completed,
    /// Ended by an error.
    Failed,
    /// Ended by a person.
    Cancelled,
}

/// Kinds of runs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KindName {
    /// A strategy over seeds.
    Run,
    /// A verdict on a submission.
    Gate,
    /// Bug-fix episodes of a model.
    Rollout,
}

/// `assay show`.
#[derive(Args, Debug)]
pub(crate) struct ShowRunArgs {
    /// The run: the beginning of its id, or `latest`.
    #[arg(value_name = "ID")]
    pub id: String,
    /// For programs; with the values of every seed.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// `assay compare`.
#[derive(Args, Debug)]
#[command(
    after_help = "Where both ran the same seeds of the same scenario, differences are taken seed by seed (paired); otherwise the means are\ncompared by Welch's test. Where the 95% interval of a difference holds zero, no difference can be told."
)]
pub(crate) struct CompareArgs {
    /// One run: the beginning of its id, or `latest`.
    #[arg(value_name = "A")]
    pub a: String,
    /// The other run.
    #[arg(value_name = "B")]
    pub b: String,
    /// Only this measure; repeat it for more. docs/measures.md lists them.
    #[arg(long, value_name = "NAME")]
    pub measure: Vec<String>,
    /// For programs.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// `assay leaderboard`.
#[derive(Args, Debug)]
#[command(
    after_help = "The newest completed `assay run` of each strategy over the seeds that most strategies ran on counts; verdicts of the gate do not. A strategy is known by its content,\nnot by its file's name. Strategies share a rank where they cannot be told apart after a correction for all of them.\n\nThis lists what this store holds, and whoever ran it chose the seeds. For a ranking among people, use `assay board`."
)]
pub(crate) struct LeaderboardArgs {
    /// The scenario.
    #[arg(long, value_name = "NAME")]
    pub scenario: String,
    /// What to rank by. docs/measures.md lists the measures.
    #[arg(long, default_value = "pnl", value_name = "NAME")]
    pub measure: String,
    /// For programs.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// `assay rm`.
#[derive(Args, Debug)]
pub(crate) struct RemoveArgs {
    /// The runs: the beginnings of their ids.
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Do not ask.
    #[arg(long, short)]
    pub yes: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// `assay export`.
#[derive(Args, Debug)]
pub(crate) struct ExportRunArgs {
    /// The run: the beginning of its id, or `latest`.
    #[arg(value_name = "ID")]
    pub id: String,
    /// The folder to write into; made if it is not there. Nothing in it is overwritten.
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    #[command(flatten)]
    pub store: StoreArgs,
}
