//! Flags of `assay tasks`.

use super::trace::FiguresFormat;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `assay tasks`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay tasks import rows.jsonl --out tasks/\n  assay tasks parse-log test.log --repo astropy/astropy\n  assay tasks parse-log test.log --parser pytest --format table"
)]
pub(crate) struct TasksArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TasksCommand,
}

/// Under `assay tasks`.
#[derive(Subcommand, Debug)]
pub(crate) enum TasksCommand {
    /// Turn rows of a data set into tasks, one file each, and say what was understood.
    Import(ImportArgs),
    /// Read a test log: which test passed, which failed.
    ParseLog(ParseLogArgs),
}

/// `assay tasks import`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay tasks import rows.jsonl\n  zcat rows.jsonl.gz | assay tasks import - --out tasks/verified\n\nReads rows of R2E-Gym, SWE-bench (old and 5), SWE-Gym, SWE-smith and Multi-SWE-bench, one JSON\nobject a line; a file may mix them. Each task becomes DIR/INSTANCE_ID.json: `public` is what a\nmodel may see, `bench` says where the work is done, `secret` holds the fix, the tests and every key\nthat we do not know, and must reach no model. A bad row does not spoil the others; a task that is\nthere already is left alone."
)]
pub(crate) struct ImportArgs {
    /// The rows, one JSON object a line; `-` is standard input.
    #[arg(value_name = "ROWS")]
    pub rows: PathBuf,
    /// Folder for the tasks; made if it is not there.
    #[arg(long, default_value = "tasks", value_name = "DIR")]
    pub out: PathBuf,
}

/// `assay tasks parse-log`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay tasks parse-log test.log --repo django/django\n  pytest -rA 2>&1 | assay tasks parse-log - --parser pytest --format table\n\nParsers are named as in SWE-bench: pytest, pytest_v2, django, sympy, unittest, gotest, cargo, junit and others.\nA test that a log names twice has its last status."
)]
pub(crate) struct ParseLogArgs {
    /// The log; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub log: PathBuf,
    /// By which rule to read it.
    #[command(flatten)]
    pub rule: LogRule,
    /// How to write the statuses.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Json)]
    pub format: FiguresFormat,
}

/// By which rule a log is read: one of the two.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct LogRule {
    /// The rule that the data sets use for this repository, `owner/name`.
    #[arg(long, value_name = "OWNER/NAME")]
    pub repo: Option<String>,
    /// The rule by its own name.
    #[arg(long, value_name = "NAME")]
    pub parser: Option<String>,
}
