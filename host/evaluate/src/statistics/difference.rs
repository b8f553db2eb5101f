//! Moments and paired differences of a measure, as the record has them.

use super::interval::Interval;
use super::sample::Sample;
use super::{CONFIDENCE, interval::Estimate};
use serde::{Deserialize, Serialize};

/// Mean and sample deviation (n − 1) of one measure over the seeds that have it; seeds of one market path count once, with their mean.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moments {
    /// Seeds with a value.
    pub n: u64,
    /// `None` without a value.
    pub mean: Option<f64>,
    /// `None` below two market paths.
    pub sd: Option<f64>,
    /// Why something is `None`.
    pub missing: Option<String>,
}

/// Differences strategy − baseline, seed by seed; seeds of one market path count once, with their mean.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Seeds in which both have a value.
    pub n: u64,
    /// Distinct market paths among them; `None` in records before 2.0, which did not look.
    #[serde(default)]
    pub observations: Option<u64>,
    /// Mean difference.
    pub mean: Option<f64>,
    /// Sample deviation (n − 1) of the differences.
    pub sd: Option<f64>,
    /// The wider end of Student's t and of Hall's transformation with n − 1 degrees of freedom; before 2.0 Student's t.
    pub interval: Option<Interval>,
    /// Two-sided p-value of no difference, as if it were the only one looked at. Since 2.0.
    #[serde(default)]
    pub p: Option<f64>,
    /// The same after Holm's correction for all measures of the group. Since 2.0.
    #[serde(default)]
    pub p_corrected: Option<f64>,
    /// Why something is `None`.
    pub missing: Option<String>,
}

impl Difference {
    /// Whether the difference can be told from none: after the correction where there is one. This decides about marks and words.
    #[must_use]
    pub fn is_told(&self) -> bool {
        let excludes = self.interval.is_some_and(|interval| interval.excludes_zero());
        excludes && self.p_corrected.is_none_or(|p| p <= 1.0 - CONFIDENCE)
    }
}

/// The value of a measure in one seed, or why it has none, where that is known.
pub(crate) type Told<'a> = Result<f64, Option<&'a str>>;

/// Moments of one measure over seeds, with the market path of each.
pub(crate) fn moments(measures: &[Told<'_>], paths: &[&str]) -> Moments {
    let values = measures.iter().zip(paths).filter_map(|(measure, path)| Some((*path, measure.ok()?)));
    let sample = Sample::of_paths(values);
    let missing = match (sample.seeds(), sample.n()) {
        (0, _) => Some(first_reason(measures).unwrap_or_else(|| "no seed was scored".to_owned())),
        (_, 1) => Some(format!("{}, a deviation takes at least 2", one(&sample, "1 seed"))),
        _ => None,
    };
    Moments { n: sample.seeds() as u64, mean: sample.mean(), sd: sample.sd(), missing }
}

/// Paired differences `strategy[i] − baseline[i]`.
pub(crate) fn difference(strategy: &[Told<'_>], baseline: &[Told<'_>], paths: &[&str]) -> Difference {
    let pairs = strategy.iter().zip(baseline).zip(paths);
    let values = pairs.filter_map(|((ours, theirs), path)| Some((*path, ours.ok()? - theirs.ok()?)));
    let sample = Sample::of_paths(values);
    let missing = match (sample.seeds(), sample.n()) {
        (0, _) => Some(match (first_reason(strategy), first_reason(baseline)) {
            (Some(reason), _) => format!("strategy: {reason}"),
            (None, Some(reason)) => format!("baseline: {reason}"),
            (None, None) => "no seed was scored".to_owned(),
        }),
        (_, 1) => Some(format!("{}, an interval takes at least 2", one(&sample, "1 seed with both values"))),
        _ => None,
    };
    let estimate = sample.estimate();
    Difference {
        n: sample.seeds() as u64,
        observations: Some(sample.n() as u64),
        mean: sample.mean(),
        sd: sample.sd(),
        interval: estimate.and_then(|estimate| estimate.interval),
        p: estimate.and_then(|Estimate { p, .. }| p),
        p_corrected: None,
        missing,
    }
}

/// One observation in words.
fn one(sample: &Sample, seed: &str) -> String {
    match sample.seeds() {
        1 => seed.to_owned(),
        seeds => format!("{seeds} seeds of one and the same market path are 1 observation"),
    }
}

fn first_reason(measures: &[Told<'_>]) -> Option<String> {
    measures.iter().find_map(|measure| measure.err().flatten().map(str::to_owned))
}
