//! Ranks from corrected paired comparisons.
//!
//! Each pair of entries is compared seed by seed. Holm's correction is for all pairs that could have been formed of everything that was *tried*, by whomever:
//! ten names for one author are ten more chances and cost as much as ten authors. A rank is one more than the number of entries that are
//! told to be better, so entries that cannot be told apart share it, and no entry that merely had luck stands alone.

use super::family::holm;
use super::sample::Sample;

/// Entries that are ranked at most: pairs grow with the square.
pub const RANKED_MAX: usize = 1_000;

/// Where an entry stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standing {
    /// One more than the number of entries that are told to be better.
    pub rank: usize,
    /// Entries that are told to be better or worse.
    pub told: usize,
}

/// Ranks entries whose values are over the same market paths, at most [`RANKED_MAX`] of them. `tries` is how many different contents were tried in all.
/// Two entries over different numbers of paths are never told apart.
#[must_use]
pub fn ranks(entries: &[&Sample], tries: usize, higher_is_better: bool) -> Vec<Standing> {
    let mut pairs = Vec::new();
    for (a, of_a) in entries.iter().enumerate() {
        for (b, of_b) in entries.iter().enumerate().skip(a + 1) {
            let difference = of_a.minus(of_b);
            let told = difference.and_then(|difference| Some((difference.p_value()?, difference.mean()?)));
            if let Some((p, mean)) = told {
                let a_is_better = (mean > 0.0) == higher_is_better;
                pairs.push(if a_is_better { (p, a, b) } else { (p, b, a) });
            }
        }
    }
    let tries = tries.max(entries.len());
    let corrected = holm(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>(), tries * tries.saturating_sub(1) / 2);
    let mut standings = vec![Standing { rank: 1, told: 0 }; entries.len()];
    for ((_, better, worse), p) in pairs.into_iter().zip(corrected) {
        if p <= 1.0 - super::CONFIDENCE {
            standings[worse].rank += 1;
            standings[worse].told += 1;
            standings[better].told += 1;
        }
    }
    standings
}
