//! How a history is mined: what a user said, resolved once.

use std::path::PathBuf;

use assay_rollout::grading::GradeSettings;
use serde::{Deserialize, Serialize};

/// Where the history is, and how much of it is looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistorySettings {
    /// The repository: a working copy or a bare one.
    pub repository: PathBuf,
    /// The `git` program.
    pub git: PathBuf,
    /// A branch, a tag or a full id; `HEAD` where none is given.
    pub from: Option<String>,
    /// Commits that are looked at.
    pub commits: usize,
    /// Whether a merge is one change against its first parent.
    pub merges: bool,
}

/// What decides what a task is. A folder is mined with the same ones from its beginning to its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSettings {
    /// What the repository is called in tasks.
    pub name: String,
    /// The image that tests run in, or that one is built from.
    pub image: Option<String>,
    /// Commands that install what the tests need, each a `RUN` of the image's recipe. Empty: those that the repository's files ask for.
    pub install: Vec<String>,
    /// The command that runs tests; `{tests}` stands for their files.
    pub test_command: Option<String>,
    /// How its log is read.
    pub log_parser: Option<String>,
    /// The most seconds that the tests of a task may take.
    pub seconds: u32,
    /// How often the probes of a task are repeated.
    pub repeat: u32,
}

/// How the work is done; nothing of it changes a task.
#[derive(Clone, Debug)]
pub struct WorkSettings {
    /// How probes are graded.
    pub grading: GradeSettings,
    /// Commits that are tried at once.
    pub concurrency: usize,
    /// Tasks after which nothing more is tried.
    pub limit: Option<usize>,
}
