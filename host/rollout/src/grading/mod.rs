//! Grading: what the files of an episode are worth, by the task's own tests in a fresh container.
//!
//! ```text
//! base, tree ──► plan (pure) ──► Job ──► TestBench ──► TestRun ──► rule ──► score tree, flags
//!                  │                                     │
//!                  └── patch, flags ──► artifacts ◄──────┘   what `rescore` needs, and nothing else
//! ```
//!
//! Invariants: nothing of a file that belongs to the tests reaches the container from a submission; trouble with the infrastructure is
//! unscored, never a 0; what was graded can be graded again from its artifacts without running anything.

mod reward;

use assay_grade::rule::{Rule, Unscored, Verdict};
use assay_model::Time;
use assay_trace::score::ScoreNode;
use assay_trace::{Flag, Record};
use assay_world::Tree;

use crate::ports::{BenchLimits, TestBench};
use crate::task::{LoadedTask, Workspace};
use std::path::PathBuf;

pub use reward::{CustomReward, EXPRESSION_BYTES_MAX, Expression, ExpressionError, VARIABLES};

/// How a run grades; the same for all its episodes.
#[derive(Clone, PartialEq, Debug)]
pub struct GradeSettings {
    /// Which rule scores.
    pub rule: Rule,
    /// What the tests may use where the task does not say.
    pub limits: BenchLimits,
    /// How often the tests run again when the infrastructure failed.
    pub retries: u32,
}

/// What is special about one grading.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Occasion {
    /// What the container and the artifacts are labelled with: letters, digits, `-`, `_` and `.`.
    pub label: String,
    /// Where what was graded is kept; nowhere where none is set.
    pub artifacts: Option<ArtifactFolder>,
    /// What the episode has used so far, for rewards of a task's own.
    pub facts: EpisodeFacts,
}

/// Where artifacts go. The trajectory names `inside`, so that a run's folder can be moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArtifactFolder {
    /// The folder of the trajectory's file.
    pub root: PathBuf,
    /// The folder within it, for example `artifacts/EPISODE/1`.
    pub inside: PathBuf,
}

/// What an episode has used; what is unknown is `None`, which is not 0.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct EpisodeFacts {
    /// Turns of the model.
    pub steps: Option<u64>,
    /// Tokens, input and output.
    pub tokens: Option<u64>,
    /// Money, in micro-dollars.
    pub cost_microdollars: Option<u64>,
    /// Time on the wall, in seconds.
    pub seconds: Option<f64>,
}

/// What a grading gave.
#[derive(Clone, PartialEq, Debug)]
pub struct Graded {
    /// What the rule says.
    pub verdict: Verdict,
    /// The score tree, a reward of the task's own included.
    pub score: ScoreNode,
    /// What an auditor should see.
    pub flags: Vec<Flag>,
    /// What the user can do about it, where the infrastructure failed.
    pub hint: Option<String>,
    /// All that the episode changed, as a patch; protected files included.
    pub patch: Vec<u8>,
    /// Where it is kept, as the trajectory names it.
    pub artifacts: Option<PathBuf>,
}

impl Graded {
    /// The reward; `None` if it is unscored.
    #[must_use]
    pub fn reward(&self) -> Option<f64> {
        self.score.value().number()
    }

    /// What a model may know of it: how many tests are as they should be, and no name of any.
    #[must_use]
    pub fn feedback(&self) -> String {
        String::new()
    }

    /// The records for the trajectory: flags, where the artifacts are, the verdict. `ending` names how the episode ended.
    #[must_use]
    pub fn records(&self, _at: Time, _ending: &str) -> Vec<Record> {
        Vec::new()
    }
}

/// Grades `tree`, which an episode made from the workspace's base. Infallible: whatever goes wrong is the verdict's reason. Reading trees and
/// writing artifacts blocks for some milliseconds.
pub async fn grade(
    bench: &dyn TestBench,
    task: &LoadedTask,
    workspace: &Workspace,
    tree: &Tree,
    settings: &GradeSettings,
    occasion: &Occasion,
) -> Graded {
    let _ = (bench, task, workspace, tree, settings, occasion);
    let why = "grading is not there yet".to_owned();
    Graded {
        score: ScoreNode::unscored("reward", why.clone()),
        verdict: Verdict::Unscored(Unscored::Infrastructure(why)),
        flags: Vec::new(),
        hint: None,
        patch: Vec::new(),
        artifacts: None,
    }
}
