//! What a run says of a model: never a bare mean.
//!
//! pass@k is the unbiased estimator of Chen et al. 2021 (arXiv:2107.03374), averaged over tasks. Samples of one task are not independent
//! evidence, so errors are clustered by task (Miller 2024, arXiv:2411.00640), and the interval is Wilson's over the effective number of
//! independent samples that the clustered error implies (Franco et al. 2019), which stays honest where every task or none is solved.
//!
//! Invariant: an unscored episode is in no denominator and is always counted beside.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::deeds::Deeds;
use super::episode::EpisodeRecord;

/// The normal quantile of a two-sided interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A number with what is known of it: 95 %, clustered by task.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// The lower end; none where the samples do not say, as with one task and rewards that are not fractions.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Tasks that it is computed from.
    pub tasks: usize,
    /// Episodes that it is computed from.
    pub episodes: usize,
}

/// The chance that at least one of `k` samples solves a task.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PassAt {
    /// How many samples.
    pub k: u32,
    /// The chance, over the tasks with at least `k` scored samples.
    pub value: Interval,
}

/// What the finished episodes of a run come to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Figures {
    /// Finished episodes.
    pub episodes: usize,
    /// Those that solved their task.
    pub solved: usize,
    /// Those that were scored and did not.
    pub failed: usize,
    /// Those without a score, by reason.
    pub unscored: BTreeMap<String, usize>,
    /// pass@1, and on by doubling up to the samples of a task.
    pub pass_at: Vec<PassAt>,
    /// The mean score; none where nothing was scored.
    pub reward: Option<Interval>,
    /// Tokens of all attempts and sub-agents, as far as they are known.
    pub tokens: u64,
    /// Cost of all attempts and sub-agents in micro-dollars, as far as it is known.
    pub cost_microdollars: u64,
    /// Episodes of which tokens are not known.
    pub tokens_unknown: usize,
    /// Episodes of which the cost is not known.
    pub cost_unknown: usize,
    /// Turns of the model.
    pub steps: u64,
    /// Code that ran and calls of tools.
    pub deeds: Deeds,
    /// Episodes by flag.
    pub flags: BTreeMap<String, usize>,
}

/// Counts.
#[must_use]
pub fn figures<'a>(records: impl IntoIterator<Item = &'a EpisodeRecord>) -> Figures {
    let mut figures = Figures {
        episodes: 0,
        solved: 0,
        failed: 0,
        unscored: BTreeMap::new(),
        pass_at: Vec::new(),
        reward: None,
        tokens: 0,
        cost_microdollars: 0,
        tokens_unknown: 0,
        cost_unknown: 0,
        steps: 0,
        deeds: Deeds::default(),
        flags: BTreeMap::new(),
    };
    let mut tasks: BTreeMap<&str, Vec<(f64, bool)>> = BTreeMap::new();
    for record in records {
        figures.episodes += 1;
        match record.reward() {
            Some(reward) => {
                tasks.entry(&record.task).or_default().push((reward, record.is_solved()));
                *(if record.is_solved() { &mut figures.solved } else { &mut figures.failed }) += 1;
            }
            None => *figures.unscored.entry(record.reason.clone()).or_default() += 1,
        }
        let spending = record.spending();
        figures.tokens = figures.tokens.saturating_add(spending.tokens);
        figures.tokens_unknown += usize::from(spending.tokens_unknown);
        figures.cost_microdollars = figures.cost_microdollars.saturating_add(spending.cost_microdollars);
        figures.cost_unknown += usize::from(spending.cost_unknown);
        figures.steps = figures.steps.saturating_add(record.steps);
        figures.deeds.add(&record.deeds);
        for flag in &record.flags {
            *figures.flags.entry(flag.clone()).or_default() += 1;
        }
    }
    let rewards: Vec<Vec<f64>> =
        tasks.values().map(|samples| samples.iter().map(|(reward, _)| *reward).collect()).collect();
    figures.reward = interval(&rewards);
    let solved: Vec<(u32, u32)> = tasks
        .values()
        .map(|samples| (samples.len() as u32, samples.iter().filter(|(_, solved)| *solved).count() as u32))
        .collect();
    figures.pass_at = ks(&solved).into_iter().filter_map(|k| pass_at(k, &solved, chance)).collect();
    figures
}

/// pass^k: the chance that all of `k` samples solve a task, C(c, k) / C(n, k) for c of n that do (Yao et al. 2024, arXiv:2406.12045), averaged over tasks
/// and for the same numbers of samples as pass@k.
#[must_use]
pub fn pass_all<'a>(records: impl IntoIterator<Item = &'a EpisodeRecord>) -> Vec<PassAt> {
    let mut tasks: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for record in records.into_iter().filter(|record| record.reward().is_some()) {
        let (samples, right) = tasks.entry(&record.task).or_default();
        *samples += 1;
        *right += u32::from(record.is_solved());
    }
    let solved: Vec<(u32, u32)> = tasks.into_values().collect();
    ks(&solved).into_iter().filter_map(|k| pass_at(k, &solved, chance_of_all)).collect()
}

/// 1, 2, 4, … up to the most samples of a task, and that number itself.
fn ks(solved: &[(u32, u32)]) -> BTreeSet<u32> {
    let most = solved.iter().map(|(samples, _)| *samples).max().unwrap_or(0);
    std::iter::successors(Some(1_u32), |k| k.checked_mul(2))
        .take_while(|k| *k <= most)
        .chain((most > 0).then_some(most))
        .collect()
}

/// The mean chance at k, from samples and solved samples of each task.
fn pass_at(k: u32, solved: &[(u32, u32)], chance: impl Fn(u32, u32, u32) -> f64) -> Option<PassAt> {
    let enough = solved.iter().filter(|(samples, _)| *samples >= k);
    let chances: Vec<Vec<f64>> = enough.clone().map(|(samples, right)| vec![chance(*samples, *right, k)]).collect();
    let episodes = enough.map(|(samples, _)| *samples as usize).sum();
    Some(PassAt { k, value: Interval { episodes, ..interval(&chances)? } })
}

/// 1 − C(n−c, k) / C(n, k), as a product that neither overflows nor cancels.
fn chance(samples: u32, right: u32, k: u32) -> f64 {
    if samples - right < k {
        return 1.0;
    }
    let none = (samples - right + 1..=samples).map(|i| 1.0 - f64::from(k) / f64::from(i)).product::<f64>();
    1.0 - none
}

/// C(c, k) / C(n, k), as a product.
fn chance_of_all(samples: u32, right: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(right.saturating_sub(i)) / f64::from(samples - i)).product()
}

/// The mean of all values with its interval, where values of one task stand together.
fn interval(tasks: &[Vec<f64>]) -> Option<Interval> {
    let episodes: usize = tasks.iter().map(Vec::len).sum();
    if episodes == 0 {
        return None;
    }
    let (n, m) = (episodes as f64, tasks.len() as f64);
    let estimate = tasks.iter().flatten().sum::<f64>() / n;
    // The cluster-robust error: deviations are summed within a task before they are squared, with the usual correction for few clusters.
    let sums = tasks.iter().map(|values| values.iter().map(|value| value - estimate).sum::<f64>());
    let squares: f64 = sums.map(|sum| sum * sum).sum();
    let variance = if tasks.len() > 1 { squares * m / (m - 1.0) / (n * n) } else { f64::INFINITY };
    let is_fraction = tasks.iter().flatten().all(|value| (0.0..=1.0).contains(value));
    let ends = if is_fraction {
        // With no spread at all, each task counts as one independent sample; no more than all episodes are ever independent.
        let spread = estimate * (1.0 - estimate);
        let effective = if spread > 0.0 && variance.is_finite() { (spread / variance).clamp(1.0, n) } else { m };
        Some(wilson(estimate, effective))
    } else if variance.is_finite() {
        let margin = Z * variance.sqrt();
        Some((estimate - margin, estimate + margin))
    } else {
        None
    };
    let (low, high) = ends.unzip();
    Some(Interval { estimate, low, high, tasks: tasks.len(), episodes })
}

/// Wilson's score interval (1927) of a fraction of `n` samples.
fn wilson(fraction: f64, n: f64) -> (f64, f64) {
    let z2 = Z * Z;
    let centre = (fraction + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (fraction * (1.0 - fraction) / n + z2 / (4.0 * n * n)).sqrt();
    ((centre - half).max(0.0), (centre + half).min(1.0))
}
