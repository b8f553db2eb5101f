//! What became of an episode, with its score: a `score` line of the file.
//!
//! Invariants: an unscored verdict has no number and says why; a verdict with an outcome has a number. A trajectory may hold several, for
//! scores can be computed again; the last one counts.

use crate::score::{SCORE_DEPTH_MAX, ScoreNode, Value};
use assay_model::Time;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What became of an episode. Without one it is unscored, because the infrastructure failed: that is never a silent 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The task is solved.
    Success,
    /// It is not.
    Failure,
    /// A limit of time or budget ended the episode.
    Timeout,
    /// Something was done that must never be done.
    SafetyViolation,
}

impl Outcome {
    /// The outcome's name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Timeout => "timeout",
            Self::SafetyViolation => "safety_violation",
        }
    }
}

/// What one scorer says of an episode.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "VerdictRecord", into = "VerdictRecord")]
pub struct Verdict {
    at: Time,
    scorer: String,
    outcome: Option<Outcome>,
    reason: String,
    score: ScoreNode,
}

/// Why a verdict contradicts itself.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum VerdictError {
    /// There is an outcome, but the score lacks a number.
    #[error("the outcome is {}, but the score has no number: {why}", outcome.name())]
    OutcomeWithoutNumber {
        /// The outcome.
        outcome: Outcome,
        /// Where the number is missing.
        why: String,
    },
    /// There is no outcome, but the score has a number.
    #[error("an unscored verdict must not come to a number, here {number}")]
    NumberWithoutOutcome {
        /// The number, as text.
        number: String,
    },
    /// There is neither an outcome nor a reason.
    #[error("an unscored verdict must say why")]
    NoReason,
    /// The tree is too deep to be read back.
    #[error("a score tree of {depth} levels, at most {SCORE_DEPTH_MAX}")]
    TooDeep {
        /// Its depth.
        depth: usize,
    },
}

impl Verdict {
    /// An episode that was scored. `scorer` names what scored it, with a version; `reason` names how the episode ended.
    ///
    /// # Errors
    /// The tree comes to no number or is too deep.
    pub fn scored(
        at: Time,
        scorer: impl Into<String>,
        outcome: Outcome,
        reason: impl Into<String>,
        score: ScoreNode,
    ) -> Result<Self, VerdictError> {
        Self { at, scorer: scorer.into(), outcome: Some(outcome), reason: reason.into(), score }.checked()
    }

    /// An episode that could not be scored as a whole: one leaf with the reason.
    ///
    /// # Errors
    /// The reason is empty.
    pub fn unscored(at: Time, scorer: impl Into<String>, reason: impl Into<String>) -> Result<Self, VerdictError> {
        let reason = reason.into();
        let score = ScoreNode::unscored("score", reason.clone());
        Self { at, scorer: scorer.into(), outcome: None, reason, score }.checked()
    }

    /// An episode of which a part could not be scored, so that the whole has no number.
    ///
    /// # Errors
    /// The tree comes to a number or is too deep.
    pub fn partly_scored(at: Time, scorer: impl Into<String>, score: ScoreNode) -> Result<Self, VerdictError> {
        let reason = match score.value() {
            Value::Unscored(reason) => reason,
            Value::Scored(number) => {
                return Err(VerdictError::NumberWithoutOutcome { number: number.get().to_string() });
            }
        };
        Self { at, scorer: scorer.into(), outcome: None, reason, score }.checked()
    }

    fn checked(self) -> Result<Self, VerdictError> {
        let depth = self.score.depth();
        if depth > SCORE_DEPTH_MAX {
            return Err(VerdictError::TooDeep { depth });
        }
        match (self.outcome, self.score.value()) {
            (Some(outcome), Value::Unscored(why)) => Err(VerdictError::OutcomeWithoutNumber { outcome, why }),
            (None, Value::Scored(number)) => {
                Err(VerdictError::NumberWithoutOutcome { number: number.get().to_string() })
            }
            (None, _) if self.reason.is_empty() => Err(VerdictError::NoReason),
            _ => Ok(self),
        }
    }

    /// When it was given.
    #[must_use]
    pub const fn at(&self) -> Time {
        self.at
    }

    /// Who gave it, with a version.
    #[must_use]
    pub fn scorer(&self) -> &str {
        &self.scorer
    }

    /// What became of the episode; `None` if it is unscored.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// How the episode ended, or why it is unscored.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The tree.
    #[must_use]
    pub const fn score(&self) -> &ScoreNode {
        &self.score
    }

    /// The number, unless the episode is unscored.
    #[must_use]
    pub fn reward(&self) -> Option<f64> {
        self.score.value().number()
    }
}

/// A verdict as it stands in files. `outcome` says `unscored` where there is none, so that it cannot be overlooked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VerdictRecord {
    at_ns: Time,
    scorer: String,
    outcome: StoredOutcome,
    reason: String,
    score: ScoreNode,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredOutcome {
    Success,
    Failure,
    Timeout,
    SafetyViolation,
    Unscored,
}

impl TryFrom<VerdictRecord> for Verdict {
    type Error = VerdictError;

    fn try_from(record: VerdictRecord) -> Result<Self, VerdictError> {
        let outcome = match record.outcome {
            StoredOutcome::Success => Some(Outcome::Success),
            StoredOutcome::Failure => Some(Outcome::Failure),
            StoredOutcome::Timeout => Some(Outcome::Timeout),
            StoredOutcome::SafetyViolation => Some(Outcome::SafetyViolation),
            StoredOutcome::Unscored => None,
        };
        let VerdictRecord { at_ns, scorer, reason, score, .. } = record;
        Self { at: at_ns, scorer, outcome, reason, score }.checked()
    }
}

impl From<Verdict> for VerdictRecord {
    fn from(verdict: Verdict) -> Self {
        let outcome = match verdict.outcome {
            Some(Outcome::Success) => StoredOutcome::Success,
            Some(Outcome::Failure) => StoredOutcome::Failure,
            Some(Outcome::Timeout) => StoredOutcome::Timeout,
            Some(Outcome::SafetyViolation) => StoredOutcome::SafetyViolation,
            None => StoredOutcome::Unscored,
        };
        let Verdict { at, scorer, reason, score, .. } = verdict;
        Self { at_ns: at, scorer, outcome, reason, score }
    }
}
