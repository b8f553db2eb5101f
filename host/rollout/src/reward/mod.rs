//! Rewards of a task's own, as a task states them.

mod expression;

use serde::{Deserialize, Serialize};

pub use expression::{EXPRESSION_BYTES_MAX, Expression, ExpressionError, VARIABLES};

/// How a task wants to be rewarded, where it does not take the plain 0 or 1.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CustomReward {
    /// A number computed from what is known.
    Expression(Expression),
    /// A command that runs in a fresh container without the submission, with `ASSAY_GRADING` and `ASSAY_SUBMISSION` as the paths of
    /// `grading.json` and `submission.patch`, and whose last line of output is the number.
    Command(String),
}
