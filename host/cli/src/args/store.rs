//! What has been run: listing, one run, comparison, board, removal, export.

use assay_commands::settings::{RecordSettings, StoreSettings};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Which store.
#[derive(Args, Clone, Debug)]
pub(crate) struct StoreArgs {
    /// Where runs are recorded: a file, or `postgres://USER@HOST/DATABASE`. [default: .assay/store.db of the project]
    #[arg(long, env = "ASSAY_STORE", value_name = "FILE|URL", hide_env_values = true)]
    pub store: Option<String>,
    /// Where files of runs are kept: a folder, or `s3://BUCKET/PREFIX`. [default: the folder `artifacts` next to the store]
    #[arg(long, env = "ASSAY_ARTIFACTS", value_name = "DIR|URL")]
    pub artifacts: Option<String>,
}

/// Where a command records what it does, if it does.
#[derive(Args, Clone, Debug)]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    pub store: StoreArgs,
    /// Do not record this in the store.
    #[arg(long)]
    pub no_store: bool,
}

impl From<&StoreArgs> for StoreSettings {
    fn from(args: &StoreArgs) -> Self {
        Self { store: args.store.clone(), artifacts: args.artifacts.clone() }
    }
}

impl From<&RecordArgs> for RecordSettings {
    fn from(args: &RecordArgs) -> Self {
        Self { store: (&args.store).into(), no_store: args.no_store }
    }
}

/// `assay runs`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay runs --status failed --since 1d\n  assay runs --strategy my-strategy --scenario rmsc04\n  assay runs --limit 100 --page 2\n\nA run whose process disappeared without recording how it ended is shown as lost."
)]
pub(crate) struct RunsArgs {
    /// Only runs with this status.
    #[arg(long, value_enum)]
    pub status: Option<StatusName>,
    /// Only runs in this scenario; for rollouts: with tasks of this name.
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Only runs of this strategy: its file name, with or without .rs or .py. For the gate: the name in its verdict; for rollouts: the model.
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Only runs of this kind.
    #[arg(long, value_enum)]
    pub kind: Option<KindName>,
    /// Only runs started since then: a date such as 2026-05-31 (UTC), or a time span before now such as 30min, 2h or 7d.
    #[arg(long, value_name = "DAY|SPAN")]
    pub since: Option<String>,
    /// Number of runs per page.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: u32,
    /// Which page to show.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub page: u32,
    /// Write JSON.
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
    /// Sessions that improve a strategy.
    Refine,
}

/// `assay show`.
#[derive(Args, Debug)]
pub(crate) struct ShowRunArgs {
    /// The run: the beginning of its id, or `latest`.
    #[arg(value_name = "ID")]
    pub id: String,
    /// Write JSON, with the values of every seed.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// `assay compare`.
#[derive(Args, Debug)]
#[command(
    after_help = "If both ran the same seeds of the same scenario, differences are taken seed by seed (paired); otherwise the means are\ncompared by Welch's test. If the 95% interval of a difference contains zero, the two cannot be told apart."
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
    /// Write JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreArgs,
}

/// `assay leaderboard`.
#[derive(Args, Debug)]
#[command(
    after_help = "What counts is the newest completed `assay run` of each strategy over the seeds that most strategies ran on; gate verdicts do not count. A strategy is identified by its content,\nnot by its file name. Strategies that cannot be told apart, after a correction for all comparisons, share a rank.\n\nThis lists the runs in this store, and whoever ran them chose the seeds. To rank several people's strategies, use `assay board`."
)]
pub(crate) struct LeaderboardArgs {
    /// The scenario.
    #[arg(long, default_value = assay_commands::settings::DEFAULT_SCENARIO, value_name = "NAME")]
    pub scenario: String,
    /// What to rank by. docs/measures.md lists the measures.
    #[arg(long, default_value = "pnl", value_name = "NAME")]
    pub measure: String,
    /// Write JSON.
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
    /// Do not ask for confirmation.
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
    /// The folder to write to; created if it does not exist. Nothing in it is overwritten.
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    #[command(flatten)]
    pub store: StoreArgs,
}
