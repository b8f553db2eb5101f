//! One score from 1 to 10 for a strategy: six axes, weights by goal, vetoes and ceilings, in one market or in several.
//!
//! ```text
//! score ── veto: broken limits, ruin, rejected orders          1, with the reason
//!       └─ ceiling: what others gain or lose by it             at most so much
//!          └─ weighted sum
//!             ├─ profit ── capture          points on a scale, with an interval
//!             ├─ risk   ── return on drawdown, less the tail
//!             └─ …
//! ```
//!
//! Invariants: the score is a function of the record alone, without a model and without chance; it can be computed again from `run.json`. A
//! gain counts at the lower end of its 95% interval, a loss at its mean. What the strategy keeps from being measured counts as the least, so
//! nothing is gained by hiding it; what nobody can measure in a market counts for nobody. A vetoed score is 1, never better than a bad one;
//! a score with too little to go on is none, and says why. `docs/score.md` says what each number means and what it is proof against.

mod combine;
mod market;
mod ratio;
mod scale;
mod total;

#[cfg(test)]
mod tests;

use crate::record::RunRecord;
use crate::statistics::Interval;
pub use combine::combined;
pub use scale::{
    Axis, CEILING_PER_POINT, Comparison, DRAWDOWN_FLOOR, EMPTY_SPREAD_FACTOR, GAUGES, Gauge, Goal, HARM_POINTS,
    NEUTRAL, NEUTRAL_EFFECT, PARTICIPATION_MIN, POINTS_MAX, POINTS_MIN, PROFILES, Profile, REJECTED_SHARE_MAX,
    REJECTIONS_JUDGED_MIN, RUIN_SHARE, Scale, TAIL_LOSS, TAIL_ONE_IN, UNMEASURED_COST,
};
use serde::{Deserialize, Serialize};

/// Version of the scales, weights and rules. Scores of different versions are never compared.
pub const SCORE_VERSION: &str = "1";

/// A strategy's score.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreRecord {
    /// [`SCORE_VERSION`].
    pub version: String,
    /// What was wanted.
    pub goal: Goal,
    /// What stood in the strategy's place for comparison: `inert`, or the hash of another strategy.
    pub baseline: String,
    /// From 1 to 10; `None` with too little to go on.
    pub value: Option<f64>,
    /// 95% interval over seeds, or over blocks of one seed of each market.
    pub interval: Option<Interval>,
    /// Why there is no value, or why it is 1: the vetoes that struck.
    pub reason: Option<String>,
    /// How the value comes about.
    pub tree: PartRecord,
    /// What the score rests on, market by market.
    pub markets: Vec<MarketScoreRecord>,
}

/// One market's part of a score.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarketScoreRecord {
    /// Name of the scenario.
    pub scenario: String,
    /// BLAKE3 of its text.
    pub hash: String,
    /// Seeds that it rests on.
    pub seeds: u64,
    /// What the market changed by, beside the baseline.
    pub changes: Vec<ChangeRecord>,
    /// The seed in which the strategy lost most, or earned least.
    pub worst_seed: Option<WorstSeedRecord>,
}

/// A measure of the market beside the baseline.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRecord {
    /// Which measure.
    pub key: String,
    /// Name for people.
    pub title: String,
    /// Whether `change` is a difference of shares of time rather than a relative change.
    pub is_difference: bool,
    /// Seeds in which both have a value.
    pub n: u64,
    /// The change: 0.05 is 5% more, or five hundredths of the session.
    pub change: Option<f64>,
    /// Its 95% interval: Fieller's for a ratio of paired means, Student's for a difference.
    pub interval: Option<Interval>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// The seed with the least PnL.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorstSeedRecord {
    /// Which.
    pub seed: u64,
    /// PnL in cents.
    pub pnl: f64,
}

/// A named part of a score.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartRecord {
    /// What is scored.
    pub name: String,
    /// How the value comes about.
    pub rule: PartRule,
    /// In points, or in the measure's own unit at a [`PartRule::Measure`].
    pub value: Option<f64>,
    /// 95% interval of the value.
    pub interval: Option<Interval>,
    /// Weight in the sum above, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Why there is no value, why it is what it is, or what it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What it is made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartRecord>,
}

/// How a part's value comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartRule {
    /// Half the mean of the markets, half the worst of them.
    MeanAndWorst,
    /// 1 if a `Struck` part has a value, else the last part.
    Veto,
    /// A veto that was looked at; its value is 1 if it struck, 0 if not.
    Struck,
    /// The last part, at most the value of each [`PartRule::Limit`] before it.
    Ceiling,
    /// What a ceiling allows.
    Limit,
    /// The sum of weight × value.
    WeightedSum,
    /// Points of the worst measure below.
    Axis,
    /// A measure in its own unit.
    Measure,
}

impl PartRecord {
    /// A part without anything below.
    pub(crate) fn leaf(name: impl Into<String>, rule: PartRule, value: Option<f64>) -> Self {
        Self { name: name.into(), rule, value, interval: None, weight: None, note: None, parts: Vec::new() }
    }

    /// This part and everything below it with its depth, in the order of reading.
    #[must_use]
    pub fn walk(&self) -> Vec<(usize, &Self)> {
        let mut found = vec![(0, self)];
        for part in &self.parts {
            found.extend(part.walk().into_iter().map(|(depth, part)| (depth + 1, part)));
        }
        found
    }

    /// The axes of the first market below.
    #[must_use]
    pub fn axes(&self) -> Vec<&Self> {
        let market = self.walk().into_iter().find(|(_, part)| part.rule == PartRule::WeightedSum);
        market.map(|(_, sum)| sum.parts.iter().collect()).unwrap_or_default()
    }
}

impl RunRecord {
    /// The score of this run for a goal.
    #[must_use]
    pub fn score(&self, goal: Goal) -> ScoreRecord {
        combined(goal, &[self])
    }
}

/// Why two scores say nothing about each other.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Incomparable {
    /// The rules differ.
    #[error("scores of version {0} and version {1} follow different rules")]
    Version(String, String),
    /// The weights differ.
    #[error("one score is for the goal `{0}`, the other for `{1}`")]
    Goal(&'static str, &'static str),
    /// What they are measured against differs.
    #[error("one score is against the baseline `{0}`, the other against `{1}`")]
    Baseline(String, String),
    /// The markets differ.
    #[error("one score is of {0}, the other of {1}")]
    Markets(String, String),
}

impl Incomparable {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Version(..) => "run the older one again with this release",
            Self::Goal(..) => "run one of them again with the --goal of the other",
            Self::Baseline(..) => "run one of them again with the --baseline of the other",
            Self::Markets(..) => "run one of them again with the --scenario of the other",
        }
    }
}

/// Whether the values of two scores may be compared.
///
/// # Errors
/// [`Incomparable`], the first reason against it.
pub fn comparable(a: &ScoreRecord, b: &ScoreRecord) -> Result<(), Incomparable> {
    if a.version != b.version {
        return Err(Incomparable::Version(a.version.clone(), b.version.clone()));
    }
    if a.goal != b.goal {
        return Err(Incomparable::Goal(a.goal.name(), b.goal.name()));
    }
    if a.baseline != b.baseline {
        return Err(Incomparable::Baseline(a.baseline.clone(), b.baseline.clone()));
    }
    let hashes = |score: &ScoreRecord| score.markets.iter().map(|market| market.hash.clone()).collect::<Vec<_>>();
    if hashes(a) != hashes(b) {
        let names = |score: &ScoreRecord| {
            let names = score.markets.iter().map(|m| format!("{} {}", m.scenario, m.hash.get(..8).unwrap_or(&m.hash)));
            names.collect::<Vec<_>>().join(", ")
        };
        return Err(Incomparable::Markets(names(a), names(b)));
    }
    Ok(())
}
