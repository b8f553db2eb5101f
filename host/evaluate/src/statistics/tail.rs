//! Rare large losses: expected shortfall, the worst seed, and when one seed carries the whole result.
//!
//! No interval holds for a loss that has not been seen. Selling insurance wins in 19 seeds of 20 and loses everything in the 20th; over 20 seeds that seed is
//! missing in a third of all runs. So the record says what could have been missed, and the words say it.

use super::sample::Sample;
use serde::{Deserialize, Serialize};

/// The worst part of all observations whose mean is the expected shortfall.
pub const TAIL_SHARE: f64 = 0.05;
/// A seed that makes up more than this of all that was won and lost is named.
pub const DOMINANT_SHARE: f64 = 0.4;
/// With fewer observations, a share says little: one of three always has a third.
const DOMINANT_OBSERVATIONS_MIN: usize = 5;
/// Skewness beyond which an interval over few seeds is doubted. Of normal values, 20 exceed it in 1 run of 500.
const SKEWNESS_DOUBTFUL: f64 = 1.5;
/// From this many observations on, the interval holds for the skewed samples of docs/evidence.md in which the rare case is seen.
const SKEWED_OBSERVATIONS_MIN: usize = 100;

/// The tail of one measure for which more is better; see the module documentation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TailRecord {
    /// Distinct market paths.
    pub observations: u64,
    /// Mean of the worst 5% of the observations, with a fraction of the last one (Acerbi and Tasche, "On the coherence of expected shortfall", J. Banking
    /// & Finance 26, 2002). Up to 20 observations this is the worst one.
    pub expected_shortfall: f64,
    /// Observations in those 5%; below 1 the shortfall rests on a single one.
    pub tail_observations: f64,
    /// The worst observation.
    pub worst: f64,
    /// Its seed, the first of its path.
    pub worst_seed: u64,
    /// The best observation.
    pub best: f64,
    /// Its seed.
    pub best_seed: u64,
    /// Skewness; negative if losses are rarer and larger than gains. `None` without any spread.
    pub skewness: Option<f64>,
    /// The largest part that one observation has of all that was won and lost (the sum of absolute values).
    pub largest_share: f64,
    /// The seed that has it.
    pub largest_seed: u64,
    /// A sample of this size misses a loss that occurs in this share of all sessions, or more rarely, at least once in 20 times. `None` if losses
    /// were seen.
    pub unseen_loss_rate: Option<f64>,
}

/// The rate r of something of which `observations` show nothing with probability 5%: (1 − r)ⁿ = 0.05 (the exact form of the "rule of three").
#[must_use]
pub fn unseen_loss_rate(observations: usize) -> f64 {
    1.0 - 0.05_f64.powf(1.0 / observations.max(1) as f64)
}

impl TailRecord {
    /// Of values with seed and market path, in seed order; `None` without any.
    #[must_use]
    pub fn of<'a>(values: &[(u64, &'a str, f64)]) -> Option<Self> {
        let sample = Sample::of_paths(values.iter().map(|(_, path, value)| (*path, *value)));
        let mut firsts: Vec<(u64, &'a str)> = Vec::new();
        for (seed, path, _) in values {
            // Quadratic in paths only where paths repeat, which they do in recordings of one path.
            if !sample.repeats() || !firsts.iter().any(|(_, other)| other == path) {
                firsts.push((*seed, path));
            }
        }
        let seeded: Vec<(u64, f64)> =
            firsts.iter().map(|(seed, _)| *seed).zip(sample.values().iter().copied()).collect();
        let mut sorted = seeded.clone();
        sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (worst, best) = (*sorted.first()?, *sorted.last()?);
        let turnover: f64 = seeded.iter().map(|(_, value)| value.abs()).sum();
        let largest = seeded.iter().copied().reduce(|a, b| if b.1.abs() > a.1.abs() { b } else { a })?;
        let has_loss = worst.1 < 0.0;
        Some(Self {
            observations: sample.n() as u64,
            expected_shortfall: expected_shortfall(&sorted),
            tail_observations: sample.n() as f64 * TAIL_SHARE,
            worst: worst.1,
            worst_seed: worst.0,
            best: best.1,
            best_seed: best.0,
            skewness: sample.skewness(),
            largest_share: if turnover > 0.0 { largest.1.abs() / turnover } else { 0.0 },
            largest_seed: largest.0,
            unseen_loss_rate: (!has_loss && best.1 > 0.0).then(|| unseen_loss_rate(sample.n())),
        })
    }
}

fn expected_shortfall(sorted: &[(u64, f64)]) -> f64 {
    let size = sorted.len() as f64 * TAIL_SHARE;
    if size <= 1.0 {
        return sorted.first().map_or(0.0, |(_, value)| *value);
    }
    let whole = size.floor() as usize;
    let sum: f64 = sorted.iter().take(whole).map(|(_, value)| value).sum();
    let next = sorted.get(whole).map_or(0.0, |(_, value)| *value);
    (sum + (size - whole as f64) * next) / size
}

/// What a reader should know of it.
pub(super) fn cautions(tail: &TailRecord) -> Vec<String> {
    let n = tail.observations as usize;
    let percent = |share: f64| format!("{:.0}%", share * 100.0);
    let mut sentences = Vec::new();
    if n >= DOMINANT_OBSERVATIONS_MIN && tail.largest_share > DOMINANT_SHARE {
        sentences.push(format!(
            "Seed {} makes up {} of all PnL won and lost: the mean rests on one seed.",
            tail.largest_seed,
            percent(tail.largest_share)
        ));
    }
    if let Some(skewness) = tail.skewness.filter(|skewness| skewness.abs() > SKEWNESS_DOUBTFUL)
        && n < SKEWED_OBSERVATIONS_MIN
    {
        let what = if skewness < 0.0 { "few large losses" } else { "few large gains" };
        sentences.push(format!(
            "PnL is skewed ({what}, skewness {skewness:.1}): over {n} seeds its interval may miss the true mean more often than 1 time in 20; run 100 or more."
        ));
    }
    if let Some(rate) = tail.unseen_loss_rate.filter(|_| (2..SKEWED_OBSERVATIONS_MIN).contains(&n)) {
        sentences.push(format!(
            "No seed lost money. A large loss that comes in up to {} of sessions may not have come up in {n} seeds, and no interval allows for it.",
            percent(rate)
        ));
    }
    sentences
}
