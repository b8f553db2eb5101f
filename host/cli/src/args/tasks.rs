//! Flags of `assay tasks`.

use super::choices::{FiguresFormat, GradeRule};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `assay tasks`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay tasks import rows.jsonl --out tasks/\n  assay tasks verify tasks/ --repeat 3\n  assay tasks parse-log test.log --repo astropy/astropy\n  assay tasks parse-log test.log --parser pytest --format table"
)]
pub(crate) struct TasksArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TasksCommand,
}

/// Under `assay tasks`.
#[derive(Subcommand, Debug)]
pub(crate) enum TasksCommand {
    /// Turn rows of a data set into tasks, one file each, and report what was read.
    Import(ImportArgs),
    /// Read a test log: which test passed, which failed.
    ParseLog(ParseLogArgs),
    /// Check tasks: the right fix must score 1, the untouched files 0, each time.
    Verify(VerifyTasksArgs),
}

/// `assay tasks import`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay tasks import rows.jsonl\n  assay tasks import train.parquet --out tasks/train\n  assay tasks import rows.jsonl.gz --out tasks/verified\n  assay tasks import mine.jsonl --test-command 'pytest -rA tests' --log-parser pytest\n\nReads rows of R2E-Gym, SWE-bench (old and 5), SWE-Gym, SWE-rebench, SWE-smith and Multi-SWE-bench, as Parquet or\nas JSON with one object per line, gzipped or not; a file may mix them. Each task becomes DIR/INSTANCE_ID.json: `public` is what a\nmodel may see, `bench` says where the work is done, and `secret` holds the fix, the tests and every unknown\nkey, and must never reach a model. A bad row does not affect the others. A task that already exists is\nleft alone."
)]
pub(crate) struct ImportArgs {
    /// The rows, as Parquet or one JSON object per line, gzipped or not; `-` is standard input.
    #[arg(value_name = "ROWS")]
    pub rows: PathBuf,
    /// Folder for the tasks; created if it does not exist.
    #[arg(long, default_value = "tasks", value_name = "DIR")]
    pub out: PathBuf,
    /// Run the tests with this command in the repository's folder, whatever the rows say; the rows' own scripts are not run.
    #[arg(long, value_name = "COMMAND")]
    pub test_command: Option<String>,
    /// Read the logs of the tests with this parser, whatever the rows say: `pytest`, `unittest`, `gotest`, `cargo` and others.
    #[arg(long, value_name = "NAME")]
    pub log_parser: Option<String>,
}

/// `assay tasks parse-log`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay tasks parse-log test.log --repo django/django\n  pytest -rA 2>&1 | assay tasks parse-log - --parser pytest --format table\n\nParsers are named as in SWE-bench: pytest, pytest_v2, django, sympy, unittest, gotest, cargo, junit and others.\nIf a log names a test twice, the last status counts."
)]
pub(crate) struct ParseLogArgs {
    /// The log; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub log: PathBuf,
    /// The rule for reading it.
    #[command(flatten)]
    pub rule: LogRule,
    /// How to write the statuses.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Json)]
    pub format: FiguresFormat,
}

/// The rule for reading a log: one of the two.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct LogRule {
    /// Use the rule that the data sets use for this repository, `owner/name`.
    #[arg(long, value_name = "OWNER/NAME")]
    pub repo: Option<String>,
    /// Use the rule with this name.
    #[arg(long, value_name = "NAME")]
    pub parser: Option<String>,
}

/// `assay tasks verify`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay tasks verify examples/bugs\n  assay tasks verify tasks/ --repeat 5 --format json | jq '.[] | select(.standing != \"good\")'\n  assay tasks verify rows.jsonl --docker-url ssh://me@bench --image-cache ~/images\n\nEach task's tests run in fresh containers, over the right fix and over the untouched files, N times each. A\ntask is good if the fix always scores 1 and the untouched files always 0, flaky if a test that decides\ndoes not give the same result each time, and unknown if the infrastructure failed. Ctrl-C shows what is known so far; a\nsecond Ctrl-C stops immediately.\n\nExit codes: 0 all are good, 1 some are not, 2 usage error, 4 some are unknown, 130 interrupted."
)]
pub(crate) struct VerifyTasksArgs {
    /// The tasks: a task folder, a folder of tasks, an imported task (.json), or rows of a data set (.jsonl).
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// How many times to run each.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000), value_name = "N")]
    pub repeat: u32,
    /// Number of tasks to check in parallel.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256), value_name = "N")]
    pub concurrency: u16,
    /// The rule for scoring tests.
    #[arg(long, value_enum, default_value_t = GradeRule::Strict, value_name = "RULE")]
    pub rule: GradeRule,
    /// The container engine: `unix:///run/docker.sock`, `tcp://HOST:PORT`, `ssh://USER@HOST`. [default: the local one]
    #[arg(long, env = "DOCKER_HOST", value_name = "URL")]
    pub docker_url: Option<String>,
    /// Cache for repositories taken from images. [default: in --cache-dir]
    #[arg(long, value_name = "DIR")]
    pub image_cache: Option<PathBuf>,
    /// How to write the report.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Table)]
    pub format: FiguresFormat,
}
