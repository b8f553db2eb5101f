//! The types of a verdict. Invariant: a score has a reason, and so has the lack of one.

use serde::{Deserialize, Serialize};

use super::flag::Flag;
use crate::status::Status;

/// What a run was worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It was judged.
    Scored(Score),
    /// It could not be judged, and that says nothing about the patch.
    Unscored(Unscored),
}

/// A judged run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// 0 or 1.
    pub reward: f64,
    /// Why.
    pub reason: Reason,
    /// What it is made of, for custom rewards and for reading.
    pub parts: Vec<Part>,
    /// The first tests, at most [`Difference::SHOWN_MAX`], that are not as expected, sorted by name.
    pub differences: Vec<Difference>,
}

/// One number of a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// `fail_to_pass`, `pass_to_pass`, `matched` or `partial`.
    pub name: String,
    /// From 0 to 1.
    pub value: f64,
}

/// A test that is not as expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The test.
    pub name: String,
    /// What it should say; nothing where the test should not be there.
    pub expected: Option<Status>,
    /// What it said; nothing where it was not there.
    pub found: Option<Status>,
}

impl Difference {
    /// How many are kept. The rest can be had from the log.
    pub const SHOWN_MAX: usize = 5;
}

/// Why a score is what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Reward 1.
    #[error("every test is as expected")]
    AsExpected,
    /// Some tests are not.
    #[error("{count} tests are not as expected")]
    Differences {
        /// How many.
        count: usize,
    },
    /// The patch changes nothing.
    #[error("no modified files")]
    NoModifiedFiles,
    /// pytest could not collect the tests: exit code 2, 4 or 5.
    #[error("the patch broke the collection of tests: exit code {exit}")]
    BrokeCollection {
        /// The exit code.
        exit: i32,
    },
    /// The log has no summary, or no result at all.
    #[error("the log contains no results")]
    NoResults,
    /// The patch could not be applied.
    #[error("the patch does not apply")]
    PatchDoesNotApply,
    /// The patch is not even tried.
    #[error("the changed files have more than {bytes_max} bytes")]
    TooLarge {
        /// How many they may have, before and after together.
        bytes_max: u64,
    },
    /// The tests came to no end with it, twice, and do without it.
    #[error("the tests did not finish, twice, but do without the submission: {how}")]
    Unfinished {
        /// How they ended.
        how: String,
    },
    /// The log contradicts itself or the exit code, so it cannot be believed.
    #[error("the log cannot be believed: {0}")]
    Forfeit(Flag),
}

/// Why there is no score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Unscored {
    /// The tests ran into the deadline.
    #[error("the tests timed out")]
    TimedOut,
    /// The tests were killed for lack of memory.
    #[error("the tests ran out of memory")]
    OutOfMemory,
    /// The tests took more than they may, of something other than time and memory.
    #[error("the tests exceeded a limit: {0}")]
    Excess(String),
    /// The tests never ran, or their end was lost.
    #[error("the test bench failed: {0}")]
    Infrastructure(String),
    /// The tests never began: no engine, no image. The text says which.
    #[error("{0}")]
    NoBench(String),
    /// Nobody knows how to run the tests of the task.
    #[error("the task cannot be run: {0}")]
    CannotRun(String),
    /// No exit code was recorded, which the strict rule needs.
    #[error("no exit code was recorded")]
    ExitUnrecorded,
    /// The test command ended as no test command does: pytest's internal error, or a signal.
    #[error("the test command ended abnormally: exit code {exit}")]
    AbnormalExit {
        /// The exit code.
        exit: i32,
    },
    /// Two tests share the key under which their status is expected.
    #[error("two tests share the key `{key}`: {first} and {second}")]
    Ambiguous {
        /// The key.
        key: String,
        /// One test's id.
        first: String,
        /// The other's.
        second: String,
    },
    /// The task cannot be graded by this rule, whatever the patch.
    #[error("the task cannot be graded: {0}")]
    InvalidScenario(String),
    /// The published rule stops with an error here, so it has no reward to give: R2E-Gym's `KeyError`.
    #[error("the published rule stops with an error: there is no expected status for `{key}`")]
    ReferenceStops {
        /// The unexpected key.
        key: String,
    },
}

impl Unscored {
    /// Whether running the tests again can help.
    #[must_use]
    pub fn is_worth_another_run(&self) -> bool {
        self.is_of_the_tests() || matches!(self, Self::Infrastructure(_))
    }

    /// Whether what ran in the container may have brought it about. Such an end says nothing while it comes once, or without the submission too.
    #[must_use]
    pub fn is_of_the_tests(&self) -> bool {
        matches!(self, Self::TimedOut | Self::OutOfMemory | Self::Excess(_) | Self::AbnormalExit { .. })
    }
}

impl Verdict {
    /// The reward, where there is one.
    #[must_use]
    pub fn reward(&self) -> Option<f64> {
        match self {
            Self::Scored(score) => Some(score.reward),
            Self::Unscored(_) => None,
        }
    }

    pub(super) fn zero(reason: Reason) -> Self {
        Self::Scored(Score { reward: 0.0, reason, parts: Vec::new(), differences: Vec::new() })
    }

    pub(super) fn invalid(why: &str) -> Self {
        Self::Unscored(Unscored::InvalidScenario(why.to_owned()))
    }

    /// A score from all that differs: 1 where nothing does.
    pub(super) fn from_differences(mut differences: Vec<Difference>, parts: Vec<Part>) -> Self {
        let count = differences.len();
        differences.sort_by(|one, other| one.name.cmp(&other.name));
        differences.truncate(Difference::SHOWN_MAX);
        let (reward, reason) =
            if count == 0 { (1.0, Reason::AsExpected) } else { (0.0, Reason::Differences { count }) };
        Self::Scored(Score { reward, reason, parts, differences })
    }
}

impl Part {
    /// `count` of `total`; all of nothing is 1, as SWE-bench has it.
    pub(super) fn share(name: &str, count: usize, total: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a run has far fewer than 2^52 tests")]
        let value = if total == 0 { 1.0 } else { count as f64 / total as f64 };
        Self { name: name.to_owned(), value }
    }
}
