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
mod pooled;
mod ratio;
mod scale;
mod total;

#[cfg(test)]
mod tests;

use crate::record::RunRecord;
pub use crate::score_record::{
    ChangeRecord, Goal, MarketScoreRecord, PartRecord, PartRule, SCORE_VERSION, ScoreRecord, WorstSeedRecord,
};
pub use combine::{Value, combined, combined_value};
pub use pooled::{Pooled, pooled};
pub use scale::{
    Axis, CEILING_PER_POINT, Comparison, DRAWDOWN_FLOOR, EMPTY_SPREAD_FACTOR, GAUGES, Gauge, HARM_POINTS, NEUTRAL,
    NEUTRAL_EFFECT, PARTICIPATION_MIN, POINTS_MAX, POINTS_MIN, PROFILES, Profile, REJECTED_SHARE_MAX,
    REJECTIONS_JUDGED_MIN, RUIN_SHARE, Scale, TAIL_LOSS, TAIL_ONE_IN, UNMEASURED_COST,
};

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
