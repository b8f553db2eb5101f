//! The score tree and the rules that make one number of it.
//!
//! Invariants: every number is finite; a leaf without a number says why; a missing number never becomes zero. Where it could change the
//! result, the result is missing too, for the same reason.

use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// How deep a tree may be. Readers of JSON stop at 128 levels, and one level of the tree takes up to four.
pub const SCORE_DEPTH_MAX: usize = 24;

/// A number that is neither infinite nor NaN.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Finite(f64);

/// The number is infinite or NaN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a score or weight must be a finite number")]
pub struct NotFinite;

impl Finite {
    /// A checked number.
    ///
    /// # Errors
    /// It is infinite or NaN.
    pub const fn new(number: f64) -> Result<Self, NotFinite> {
        if number.is_finite() { Ok(Self(number)) } else { Err(NotFinite) }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Finite {
    type Error = NotFinite;

    fn try_from(number: f64) -> Result<Self, NotFinite> {
        Self::new(number)
    }
}

impl From<Finite> for f64 {
    fn from(number: Finite) -> Self {
        number.0
    }
}

/// A named part of a score.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreNode {
    /// What is scored, for example `tests that should be fixed`.
    pub name: String,
    /// How its value comes about.
    pub rule: Rule,
}

/// How a part's value comes about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// A measured value.
    Score(Finite),
    /// No value, and why.
    Unscored(String),
    /// The value of `then` if `needs` is at least `at_least`, else 0. Without a value of `needs` there is none;
    /// `then` counts only where the gate is open.
    Gate {
        /// What must be reached.
        needs: Box<ScoreNode>,
        /// How much of it.
        at_least: Finite,
        /// What it then is worth.
        then: Box<ScoreNode>,
    },
    /// 0 if any of `any_of` is at least `at_least`, whatever else is known or not; else the value of `of`. As long as none has struck,
    /// a missing value among `any_of` might have, so there is no value then.
    Veto {
        /// What strikes.
        any_of: Vec<ScoreNode>,
        /// From which value on.
        at_least: Finite,
        /// What stands if nothing strikes.
        of: Box<ScoreNode>,
    },
    /// All values multiplied; 1 if there are none. Missing as soon as one is, even beside a 0: use a gate where a 0 should decide.
    Product(Vec<ScoreNode>),
    /// The sum of weight × value, 0 if there are no terms; not divided by the weights. A missing value under weight 0 does not count.
    WeightedSum(Vec<Term>),
}

/// One term of a weighted sum.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// The factor.
    pub weight: Finite,
    /// The part.
    pub of: ScoreNode,
}

/// What a tree comes to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// A number.
    Scored(Finite),
    /// No number, and why: the path of names to the part that lacks it, and its reason.
    Unscored(String),
}

impl Value {
    /// The number, if there is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Scored(number) => Some(number.get()),
            Self::Unscored(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scored(number) => write!(f, "{}", number.get()),
            Self::Unscored(reason) => write!(f, "unscored: {reason}"),
        }
    }
}

impl ScoreNode {
    /// A part with a measured value.
    #[must_use]
    pub fn scored(name: impl Into<String>, value: Finite) -> Self {
        Self { name: name.into(), rule: Rule::Score(value) }
    }

    /// A part whose value is missing.
    #[must_use]
    pub fn unscored(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { name: name.into(), rule: Rule::Unscored(reason.into()) }
    }

    /// What the tree comes to. The rules stand at [`Rule`]; a result too large for a number is missing.
    #[must_use]
    pub fn value(&self) -> Value {
        match self.evaluate() {
            Ok(number) => Value::Scored(number),
            Err(reason) => Value::Unscored(reason),
        }
    }

    fn evaluate(&self) -> Result<Finite, String> {
        let within = |reason: String| format!("{}: {reason}", self.name);
        match &self.rule {
            Rule::Score(value) => Ok(*value),
            Rule::Unscored(reason) => Err(within(reason.clone())),
            Rule::Gate { needs, at_least, then } => {
                let reached = needs.evaluate().map_err(within)? >= *at_least;
                if reached { then.evaluate().map_err(within) } else { Ok(Finite(0.0)) }
            }
            Rule::Veto { any_of, at_least, of } => {
                let values: Vec<_> = any_of.iter().map(Self::evaluate).collect();
                if values.iter().flatten().any(|value| value >= at_least) {
                    return Ok(Finite(0.0));
                }
                values.into_iter().collect::<Result<Vec<_>, _>>().map_err(within)?;
                of.evaluate().map_err(within)
            }
            Rule::Product(parts) => parts
                .iter()
                .try_fold(1.0, |product, part| part.evaluate().map(|value| product * value.0))
                .and_then(finite)
                .map_err(within),
            Rule::WeightedSum(terms) => terms
                .iter()
                .filter(|term| term.weight.0 != 0.0)
                .try_fold(0.0, |sum, term| term.of.evaluate().map(|value| sum + term.weight.0 * value.0))
                .and_then(finite)
                .map_err(within),
        }
    }

    /// The parts directly below, in order.
    #[must_use]
    pub fn children(&self) -> Vec<&Self> {
        match &self.rule {
            Rule::Score(_) | Rule::Unscored(_) => Vec::new(),
            Rule::Gate { needs, then, .. } => vec![needs, then],
            Rule::Veto { any_of, of, .. } => any_of.iter().chain([&**of]).collect(),
            Rule::Product(parts) => parts.iter().collect(),
            Rule::WeightedSum(terms) => terms.iter().map(|term| &term.of).collect(),
        }
    }

    /// How many levels the tree has; a leaf has one.
    #[must_use]
    pub fn depth(&self) -> usize {
        1 + self.children().into_iter().map(Self::depth).max().unwrap_or(0)
    }
}

fn finite(number: f64) -> Result<Finite, String> {
    Finite::new(number).map_err(|_| "the result is not a finite number".to_owned())
}
