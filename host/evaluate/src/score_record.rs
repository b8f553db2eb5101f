//! A score as it is recorded: its value, the parts that it is made of, and what it rests on.

use crate::statistics::Interval;
use serde::{Deserialize, Serialize};

/// Version of the scales, weights and rules. Scores of different versions are never compared.
pub const SCORE_VERSION: &str = "1";

/// What a score names as its baseline where that is the trader that does nothing.
pub(crate) const INERT: &str = "inert";

/// What somebody wants of a strategy; says which axes count for how much.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// Some of everything, profit most.
    #[default]
    Balanced,
    /// Money.
    Profit,
    /// Money for little risk.
    Risk,
    /// Trading at a good price.
    Execution,
    /// A better market for everybody.
    Impact,
}

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

impl ScoreRecord {
    /// The points of doing nothing, in words. Beside a chosen baseline they are the most that it can have: no gain in the market counts there, and a loss does.
    #[must_use]
    pub fn idle_in_words(&self) -> String {
        let most = if self.baseline == INERT { "" } else { "at most " };
        format!("{most}{:.1}", self.goal.idle())
    }
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
