//! What decides over an episode, as the loop sees it: files in, a verdict out.
//!
//! Invariant: of what grading learns, a model is told what stands in [`TestReport`] and nothing else: no log, no traceback, no expected status.

use assay_trace::{Flag, Verdict};
use assay_world::Tree;
use futures::future::BoxFuture;

use super::bench::{BenchError, TestRun};

/// Grades the files of one task's episode. It is made for that task and knows its secrets; the loop does not.
pub trait Grader: Send + Sync {
    /// Runs the task's tests over these files in a fresh container. Trouble with the infrastructure is an unscored verdict.
    fn grade(&self, tree: Tree) -> BoxFuture<'_, Graded>;

    /// Runs a command of the model's over these files in a fresh container from which the task's own tests have been taken away.
    fn shell(&self, command: String, tree: Tree) -> BoxFuture<'_, Result<TestRun, BenchError>>;
}

/// What files are worth.
#[derive(Clone, PartialEq, Debug)]
pub struct Graded {
    /// The verdict. The loop puts the name of the episode's exit before its reason.
    pub verdict: Verdict,
    /// What a person should look at.
    pub flags: Vec<Flag>,
    /// What a model may know of it.
    pub tests: TestReport,
}

/// How the tests went that a model may know of: those that it finds in its files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TestReport {
    /// How many passed.
    pub passed: u32,
    /// How many did not.
    pub failed: u32,
    /// The names of those that did not. They are shown only where the settings allow names.
    pub failed_names: Vec<String>,
}
