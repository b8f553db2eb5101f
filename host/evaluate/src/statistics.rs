//! Statistics over seeds: moments, and means and differences with an interval, paired or not.
//!
//! Invariant: sums are made in seed order, so the same episodes give the same bits.

use assay_market::metrics::Measure;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, StudentsT};

#[cfg(test)]
mod tests;

/// Probability that the interval covers the true mean difference.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Mean and sample deviation (n − 1) of one measure over the seeds that have it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moments {
    /// Seeds with a value.
    pub n: u64,
    /// `None` without a value.
    pub mean: Option<f64>,
    /// `None` below two values.
    pub sd: Option<f64>,
    /// Why something is `None`.
    pub missing: Option<String>,
}

/// A 95% interval for the mean difference.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Every difference is the same number: the interval is that point and says nothing about other seeds.
    pub degenerate: bool,
}

impl Interval {
    /// Whether the interval lies wholly on one side of zero.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Differences strategy − baseline, seed by seed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Seeds in which both have a value.
    pub n: u64,
    /// Mean difference.
    pub mean: Option<f64>,
    /// Sample deviation (n − 1) of the differences.
    pub sd: Option<f64>,
    /// Student t interval with n − 1 degrees of freedom.
    pub interval: Option<Interval>,
    /// Why something is `None`.
    pub missing: Option<String>,
}

/// A mean of values, or a difference of two means, with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Values, or pairs of them; of two independent samples, the smaller number.
    pub n: u64,
    /// The mean.
    pub mean: f64,
    /// Its 95% interval, which takes two values of each sample.
    pub interval: Option<Interval>,
}

impl Estimate {
    /// Whether the mean can be told from zero.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.interval.is_some_and(|interval| interval.excludes_zero())
    }
}

/// Mean of values with Student's interval; `None` without a value.
#[must_use]
pub fn mean_of(values: &[f64]) -> Option<Estimate> {
    let mean = mean(values)?;
    let interval = standard_deviation(values).map(|sd| {
        let half = sd * student_t_quantile((values.len() - 1) as f64) / (values.len() as f64).sqrt();
        Interval { low: mean - half, high: mean + half, degenerate: sd == 0.0 }
    });
    Some(Estimate { n: values.len() as u64, mean, interval })
}

/// Mean of the differences `a[i] − b[i]` of values that belong together, such as those of the same seed; `None` without a pair.
#[must_use]
pub fn paired(pairs: &[(f64, f64)]) -> Option<Estimate> {
    mean_of(&pairs.iter().map(|(a, b)| a - b).collect::<Vec<_>>())
}

/// Difference of the means of two independent samples with unequal variances: Welch's t with the degrees of freedom of Welch and Satterthwaite
/// (B. L. Welch, Biometrika 34, 1947); `None` if one is empty.
#[must_use]
pub fn welch(a: &[f64], b: &[f64]) -> Option<Estimate> {
    let difference = mean(a)? - mean(b)?;
    let interval = standard_deviation(a).zip(standard_deviation(b)).map(|(sd_a, sd_b)| {
        let part = |sd: f64, n: usize| sd * sd / n as f64;
        let freedom = |part: f64, n: usize| part * part / (n - 1) as f64;
        let (part_a, part_b) = (part(sd_a, a.len()), part(sd_b, b.len()));
        let sum = part_a + part_b;
        // Without any spread there are no degrees of freedom to ask a table for.
        let half = match sum {
            0.0 => 0.0,
            _ => student_t_quantile(sum * sum / (freedom(part_a, a.len()) + freedom(part_b, b.len()))) * sum.sqrt(),
        };
        Interval { low: difference - half, high: difference + half, degenerate: sum == 0.0 }
    });
    Some(Estimate { n: a.len().min(b.len()) as u64, mean: difference, interval })
}

/// Moments of one measure over seeds.
pub(crate) fn moments(measures: &[Measure]) -> Moments {
    let values: Vec<f64> = measures.iter().filter_map(|measure| measure.value()).collect();
    let missing = match values.len() {
        0 => Some(first_reason(measures).unwrap_or_else(|| "no seed was scored".to_owned())),
        1 => Some("1 seed, a deviation takes at least 2".to_owned()),
        _ => None,
    };
    Moments { n: values.len() as u64, mean: mean(&values), sd: standard_deviation(&values), missing }
}

/// Paired differences `strategy[i] − baseline[i]`.
pub(crate) fn difference(strategy: &[Measure], baseline: &[Measure]) -> Difference {
    let pairs = strategy.iter().zip(baseline);
    let values: Vec<f64> = pairs.filter_map(|(ours, theirs)| Some(ours.value()? - theirs.value()?)).collect();
    let missing = match values.len() {
        0 => Some(match (first_reason(strategy), first_reason(baseline)) {
            (Some(reason), _) => format!("strategy: {reason}"),
            (None, Some(reason)) => format!("baseline: {reason}"),
            (None, None) => "no seed was scored".to_owned(),
        }),
        1 => Some("1 seed with both values, an interval takes at least 2".to_owned()),
        _ => None,
    };
    let (mean, sd) = (mean(&values), standard_deviation(&values));
    let interval = mean_of(&values).and_then(|estimate| estimate.interval);
    Difference { n: values.len() as u64, mean, sd, interval, missing }
}

/// The two-sided [`CONFIDENCE`] quantile of Student's t with these degrees of freedom, more than 0.
fn student_t_quantile(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(0.5 + CONFIDENCE / 2.0))
}

fn first_reason(measures: &[Measure]) -> Option<String> {
    measures.iter().find_map(|measure| match measure {
        Measure::Missing(missing) => Some(missing.to_string()),
        Measure::Value(_) => None,
    })
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn standard_deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    // Equal values must give exactly 0, which a rounded mean would not.
    if values.len() < 2 {
        return None;
    }
    if values.iter().all(|value| *value == values[0]) {
        return Some(0.0);
    }
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}
