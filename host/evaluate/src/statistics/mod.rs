//! Statistics over seeds: what counts as an observation, moments, intervals, corrections for many looks, and what luck alone would do.
//!
//! Invariants: nothing here takes plain numbers for evidence but [`Sample`], in which one market path is one observation however many seeds met it;
//! sums are made in seed order, so the same episodes give the same bits; a degenerate interval never tells anything. `docs/evidence.md` has the reasons
//! and the simulated coverage.

mod difference;
mod family;
mod interval;
mod luck;
mod ranking;
mod sample;
mod tail;
#[cfg(test)]
mod tests;

pub use difference::{Difference, Moments};
pub(crate) use difference::{Told, difference, moments};
pub(crate) use family::evidence;
pub use family::{EvidenceRecord, FamilyRecord, holm};
pub use interval::{Confidence, Estimate, Interval, Tail};
pub use luck::{Luck, deflated_sharpe, overfitting_probability};
pub use ranking::{RANKED_MAX, Standing, ranks};
pub use sample::{MORE_MARKETS_HINT, Sample, student_interval, welch};
pub use tail::{DOMINANT_SHARE, TAIL_SHARE, TailRecord, unseen_loss_rate};

/// Probability that the interval covers the true mean difference.
pub(crate) const CONFIDENCE: f64 = 0.95;
