//! What counts as evidence: values of one measure, one for each market path.
//!
//! A seed is a name, not an observation. Where the market is the same in every seed, as in a recording, twenty seeds are one path copied twenty times, and
//! whatever a strategy does to look different in each of them, such as one order at a random moment, makes no second market. So the unit is the path of
//! the *market*: seeds of the same path are one observation, their mean.

use super::CONFIDENCE;
use super::interval::{Confidence, Estimate, Interval, Shape, Tail, student_t_quantile, student_t_upper};
use std::collections::BTreeMap;

/// What to do about too few observations.
pub const MORE_MARKETS_HINT: &str =
    "every seed is the same market path, so more seeds add nothing: use more recordings or another market";

/// Values of one measure, or of paired differences: one for each distinct market path, in the order of first appearance.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sample {
    values: Vec<f64>,
    seeds: usize,
}

impl Sample {
    /// From a value a seed with the path of the seed's market, in seed order; see [`EpisodeRecord::path`](crate::EpisodeRecord::path).
    #[must_use]
    pub fn of_paths<'a>(seeds: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        let mut index: BTreeMap<&str, usize> = BTreeMap::new();
        let mut sums: Vec<(f64, usize)> = Vec::new();
        let mut count = 0;
        for (path, value) in seeds {
            count += 1;
            let place = *index.entry(path).or_insert_with(|| {
                sums.push((0.0, 0));
                sums.len() - 1
            });
            sums[place].0 += value;
            sums[place].1 += 1;
        }
        // A sum of one value is that value, to the bit.
        let values = sums.into_iter().map(|(sum, of)| if of == 1 { sum } else { sum / of as f64 }).collect();
        Self { values, seeds: count }
    }

    /// From values that are known to be of distinct paths, such as those of a store, which keeps one for each.
    #[must_use]
    pub fn of_distinct(values: Vec<f64>) -> Self {
        Self { seeds: values.len(), values }
    }

    /// The differences `a[i] − b[i]` of two samples over the same paths; `None` if they do not have the same number of them.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Option<Self> {
        let is_same = self.values.len() == other.values.len();
        let values = || self.values.iter().zip(&other.values).map(|(a, b)| a - b).collect();
        is_same.then(|| Self { values: values(), seeds: self.seeds.min(other.seeds) })
    }

    /// One value for each distinct path.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Distinct observations.
    #[must_use]
    pub fn n(&self) -> usize {
        self.values.len()
    }

    /// Seeds that they come from.
    #[must_use]
    pub fn seeds(&self) -> usize {
        self.seeds
    }

    /// Whether some seeds repeat the path of others.
    #[must_use]
    pub fn repeats(&self) -> bool {
        self.seeds > self.values.len()
    }

    /// Arithmetic mean; `None` without an observation.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (!self.values.is_empty()).then(|| self.values.iter().sum::<f64>() / self.values.len() as f64)
    }

    /// Sample deviation (n − 1); `None` below two observations, exactly 0 for equal ones.
    #[must_use]
    pub fn sd(&self) -> Option<f64> {
        let mean = self.mean()?;
        if self.values.len() < 2 {
            return None;
        }
        // Equal values must give exactly 0, which a rounded mean would not.
        if self.values.iter().all(|value| *value == self.values[0]) {
            return Some(0.0);
        }
        let squares: f64 = self.values.iter().map(|value| (value - mean) * (value - mean)).sum();
        Some((squares / (self.values.len() - 1) as f64).sqrt())
    }

    /// Skewness, the third moment over the deviation cubed, both with n; `None` without any deviation.
    #[must_use]
    pub fn skewness(&self) -> Option<f64> {
        self.shape().map(|shape| shape.skewness)
    }

    /// Plain kurtosis, 3 for a normal distribution; `None` without any deviation.
    #[must_use]
    pub fn kurtosis(&self) -> Option<f64> {
        let second = self.central_moment(2)?;
        (second > 0.0).then(|| self.central_moment(4).map(|fourth| fourth / (second * second)))?
    }

    /// Mean, interval and p-value; `None` without an observation.
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        let mean = self.mean()?;
        let (interval, p) = match (self.sd(), self.shape()) {
            (None, _) => (None, None),
            (Some(_), Some(shape)) => {
                let end = |tail| shape.end(tail, 0.5 + CONFIDENCE / 2.0);
                let interval = Interval { low: end(Tail::Lower), high: end(Tail::Upper), degenerate: false };
                (Some(interval), Some(shape.p()))
            }
            (Some(_), None) => (Some(Interval { low: mean, high: mean, degenerate: true }), None),
        };
        Some(Estimate { n: self.values.len() as u64, mean, interval, p })
    }

    /// Two-sided p-value of a mean of zero; `None` below two observations, or if all are the same. What [`Sample::estimate`] has, at a fraction of its cost.
    #[must_use]
    pub fn p_value(&self) -> Option<f64> {
        self.shape().map(|shape| shape.p())
    }

    /// The one-sided confidence bound of the mean; of observations that are all the same, their value. `None` below two observations.
    #[must_use]
    pub fn bound(&self, tail: Tail, confidence: Confidence) -> Option<f64> {
        self.sd()?;
        self.shape().map_or_else(|| self.mean(), |shape| Some(shape.end(tail, confidence.0)))
    }

    /// `None` below two observations, or if all are the same.
    fn shape(&self) -> Option<Shape> {
        let (mean, sd) = (self.mean()?, self.sd().filter(|sd| *sd > 0.0)?);
        let second = self.central_moment(2)?;
        let skewness = self.central_moment(3)? / (second * second.sqrt());
        // Values whose powers are out of range have no skewness that could be allowed for.
        let skewness = if skewness.is_finite() { skewness } else { 0.0 };
        Some(Shape { n: self.values.len() as f64, mean, sd, skewness })
    }

    fn central_moment(&self, power: i32) -> Option<f64> {
        let mean = self.mean()?;
        Some(self.values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / self.values.len() as f64)
    }
}

/// Student's plain 95% interval, for comparison with that of [`Sample::estimate`]; `None` below two observations.
#[must_use]
pub fn student_interval(sample: &Sample) -> Option<(f64, f64)> {
    let (mean, sd) = (sample.mean()?, sample.sd()?);
    let n = sample.n() as f64;
    let half = sd * student_t_quantile(n - 1.0, 0.5 + CONFIDENCE / 2.0) / n.sqrt();
    Some((mean - half, mean + half))
}

/// Difference of the means of two independent samples with unequal variances: Welch's t with the degrees of freedom of Welch and Satterthwaite
/// (B. L. Welch, Biometrika 34, 1947); `None` if one is empty.
#[must_use]
pub fn welch(a: &Sample, b: &Sample) -> Option<Estimate> {
    let difference = a.mean()? - b.mean()?;
    let n = a.n().min(b.n()) as u64;
    let Some((sd_a, sd_b)) = a.sd().zip(b.sd()) else {
        return Some(Estimate { n, mean: difference, interval: None, p: None });
    };
    let part = |sd: f64, n: usize| sd * sd / n as f64;
    let freedom = |part: f64, n: usize| part * part / (n - 1) as f64;
    let (part_a, part_b) = (part(sd_a, a.n()), part(sd_b, b.n()));
    let sum = part_a + part_b;
    // Without any spread there are no degrees of freedom to ask a table for.
    if sum == 0.0 {
        let interval = Interval { low: difference, high: difference, degenerate: true };
        return Some(Estimate { n, mean: difference, interval: Some(interval), p: None });
    }
    let freedom = sum * sum / (freedom(part_a, a.n()) + freedom(part_b, b.n()));
    let half = student_t_quantile(freedom, 0.5 + CONFIDENCE / 2.0) * sum.sqrt();
    let interval = Interval { low: difference - half, high: difference + half, degenerate: false };
    let p = 2.0 * student_t_upper(freedom, difference.abs() / sum.sqrt());
    Some(Estimate { n, mean: difference, interval: Some(interval), p: Some(p.min(1.0)) })
}
