//! Flags of `assay tasks`.

use super::choices::{FiguresFormat, GradeRule};
use clap::{Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// `assay tasks`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay tasks import rows.jsonl --out tasks/\n  assay tasks mine path/to/repository --out tasks/\n  assay tasks verify tasks/ --repeat 3\n  assay tasks parse-log test.log --repo astropy/astropy\n  assay tasks parse-log test.log --parser pytest --format table"
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
    /// Make tasks from a git history: commits that change code and tests, tried in containers before and after.
    Mine(MineArgs),
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

/// `assay tasks mine`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  assay tasks mine ~/src/toolz --dry-run\n  assay tasks mine ~/src/toolz --out tasks/toolz --limit 20\n  assay tasks mine ~/src/toolz --out tasks/toolz --image my-python-tests:1\n  assay tasks mine ~/src/app --image node:22 --install 'npm ci' --test-command 'npx jest --verbose {tests}' --log-parser jest\n\nA commit becomes a task if it changes code and tests, some tests fail before it and pass after it, the right\nfix scores 1, the untouched files score 0, and no attack is rewarded, each time. The tests run in fresh containers\nwithout network. DIR/mined.jsonl says what became of each commit; repeat the command to resume: nothing is run twice.\n\nWithout --image, an image is built from python:3.12-slim with what pyproject.toml, setup.py, setup.cfg and\nrequirements files ask for; only then is there a network. The recipe is kept in DIR/images. With --image alone, that image is\nused as it is; with --image and --install, one is built from it.\n\nNothing of the repository runs on this machine: its configuration, hooks, attributes and filters are never read.\nThe bug report is what the commit's message says without names, lines and references that give the fix away.\n\nExit codes: 0 there are tasks, 1 no commit became one, 2 usage error, 4 some commits could not be judged,\n130 interrupted."
)]
pub(crate) struct MineArgs {
    /// The git repository: a working copy or a bare one.
    #[arg(value_name = "REPOSITORY")]
    pub repository: PathBuf,
    /// Folder for the tasks; created if it does not exist, resumed if it does.
    #[arg(long, default_value = "tasks", value_name = "DIR")]
    pub out: PathBuf,
    /// Only read the history: list the candidates and what their reports would say. No container is started.
    #[arg(long)]
    pub dry_run: bool,
    /// Number of commits to look at, newest first, each followed by its first parent.
    #[arg(long, default_value_t = 200, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000), value_name = "N", help_heading = "History")]
    pub commits: usize,
    /// Start from this branch, tag or full commit id. [default: HEAD]
    #[arg(long, value_name = "NAME", help_heading = "History")]
    pub from: Option<String>,
    /// Take a merge as one change against its first parent, as if it had been squashed. Otherwise merges are skipped.
    #[arg(long, help_heading = "History")]
    pub merges: bool,
    /// Stop after this many tasks.
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000), value_name = "N", help_heading = "History")]
    pub limit: Option<usize>,
    /// What the repository is called in tasks. [default: the name of its folder]
    #[arg(long, value_name = "NAME", help_heading = "Tasks")]
    pub name: Option<String>,
    /// Run the tests in this image, which must exist; with --install, build one from it.
    #[arg(long, value_name = "IMAGE", help_heading = "Tasks")]
    pub image: Option<String>,
    /// Install what the tests need with this command while the image is built, in the repository's folder; may be repeated.
    #[arg(long, value_name = "COMMAND", help_heading = "Tasks")]
    pub install: Vec<String>,
    /// Run the tests with this command; `{tests}` is replaced with the files of tests that the commit changes. [default: pytest]
    #[arg(long, value_name = "COMMAND", help_heading = "Tasks")]
    pub test_command: Option<String>,
    /// Read the logs of the tests with this parser: `pytest`, `unittest`, `gotest`, `cargo` and others. [default: pytest]
    #[arg(long, value_name = "NAME", help_heading = "Tasks")]
    pub log_parser: Option<String>,
    /// Time limit of a task's tests, in seconds.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400), value_name = "N", help_heading = "Tasks")]
    pub seconds: u32,
    /// How often the right fix and the untouched files are graded.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100), value_name = "N", help_heading = "Tasks")]
    pub repeat: u32,
    /// Number of commits to try in parallel.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256), value_name = "N")]
    pub concurrency: u16,
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
    /// Number of images that this command pulled to keep; those used longest ago are removed when another one is needed. [default: all]
    #[arg(long, value_name = "N")]
    pub images_max: Option<NonZeroUsize>,
    /// How to write the report.
    #[arg(long, value_enum, default_value_t = FiguresFormat::Table)]
    pub format: FiguresFormat,
}
