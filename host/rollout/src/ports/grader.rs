//! What decides over an episode, as the loop sees it: files in, a verdict out.
//!
//! Invariant: of what grading learns, a model is told [`Graded::feedback`] and nothing else: no log, no traceback, no expected status.

use assay_model::Nanos;
use assay_trace::{EventKind, Flag, Verdict};
use assay_tree::Tree;
use futures::future::BoxFuture;

use super::bench::{BenchError, TestRun};
use crate::limits::Spent;
use crate::submission::Submission;

/// Grades the files of one task's episode. It is made for that task and knows its secrets; the loop does not.
pub trait Grader: Send + Sync {
    /// Runs the task's tests over these files in a fresh container. Trouble with the infrastructure is an unscored verdict. Called once for
    /// the end, and before it for each `run_tests` over files that were not graded last.
    fn grade(&self, submission: Submission, so_far: SoFar) -> BoxFuture<'_, Graded>;

    /// Runs a command of the model's over these files in a fresh container from which the task's own tests have been taken away.
    fn shell(&self, command: String, tree: Tree) -> BoxFuture<'_, Result<TestRun, BenchError>>;

    /// How long containers have run for this episode so far, without the time that they waited for their turn. It is charged to the episode.
    fn bench_time(&self) -> Nanos {
        Nanos(0)
    }
}

/// What the episode has used when its files are graded, for rewards that depend on it, and what its earlier gradings came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SoFar {
    /// Replies of the model.
    pub steps: u32,
    /// What was used.
    pub spent: Spent,
    /// Gradings with a [`Graded::contradiction`], those of sub-agents included.
    pub contradicted: u32,
}

/// What files are worth.
#[derive(Clone, PartialEq, Debug)]
pub struct Graded {
    /// The verdict. The loop puts the name of the episode's exit before its reason.
    pub verdict: Verdict,
    /// What belongs in the record before the verdict: flags, and where what was graded is kept.
    pub events: Vec<EventKind>,
    /// What a model may know of it: whether every test is as it should be; an error where no test began to run.
    pub feedback: Result<String, String>,
    /// The flag of a confirming run that contradicted a success; none where there was none. It is recorded, whatever becomes of the files.
    pub contradiction: Option<Flag>,
}
