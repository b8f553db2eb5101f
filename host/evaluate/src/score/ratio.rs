//! A ratio of means and a mean difference over observations, with 95% intervals.
//!
//! Invariants: every number that leaves is finite; sums are in the order of the seeds; one pair, or none, has no interval.

use crate::statistics::{Interval, Sample};
use statrs::distribution::{ContinuousCDF as _, StudentsT};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Probability below the upper end of a two-sided 95% interval.
const UPPER: f64 = 0.975;

/// A value with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bounded {
    pub(super) value: f64,
    /// `None` below two pairs.
    pub(super) interval: Option<(f64, f64)>,
}

/// Quantiles of Student's t, each computed once.
#[derive(Default)]
pub(super) struct Student(RefCell<BTreeMap<usize, f64>>);

impl Student {
    /// The upper end of the two-sided 95% interval with `freedom` degrees of freedom, at least 1.
    pub(super) fn quantile(&self, freedom: usize) -> f64 {
        let compute = || StudentsT::new(0.0, 1.0, freedom as f64).map_or(f64::INFINITY, |t| t.inverse_cdf(UPPER));
        *self.0.borrow_mut().entry(freedom).or_insert_with(compute)
    }
}

/// Σa ÷ Σb of paired values. At each end the wider of Fieller's interval (E. C. Fieller, JRSS B 16, 1954), which allows for a and b moving together, and
/// that of a mean, which allows for skewness, over what each pair does to the ratio.
///
/// # Errors
/// Why there is no ratio: no pair, or a sum of b that is not above zero.
pub(super) fn ratio(pairs: &[(f64, f64)], student: &Student) -> Result<Bounded, &'static str> {
    let n = pairs.len() as f64;
    if pairs.is_empty() {
        return Err("no seed has both values");
    }
    let (mean_a, mean_b) = (mean(pairs.iter().map(|pair| pair.0), n), mean(pairs.iter().map(|pair| pair.1), n));
    if !mean_b.is_finite() || !mean_a.is_finite() {
        return Err("the values are too large to add");
    }
    if mean_b <= 0.0 {
        return Err("the mean to divide by is not above 0");
    }
    let value = mean_a / mean_b;
    let Some(freedom) = pairs.len().checked_sub(2).map(|freedom| freedom + 1) else {
        return finite(value, None);
    };
    let per = n * (n - 1.0);
    // Variances of means. What is left of a after its share of b is taken first, so that equal pairs leave exactly nothing.
    let rest = pairs.iter().map(|(a, b)| (a - value * b) * (a - value * b)).sum::<f64>() / per;
    let var_b = pairs.iter().map(|(_, b)| (b - mean_b) * (b - mean_b)).sum::<f64>() / per;
    let covariance = pairs.iter().map(|(a, b)| (a - mean_a) * (b - mean_b)).sum::<f64>() / per;
    let var_a = pairs.iter().map(|(a, _)| (a - mean_a) * (a - mean_a)).sum::<f64>() / per;
    let t = student.quantile(freedom);
    let g = t * t * var_b / (mean_b * mean_b);
    if g >= 1.0 {
        // The divisor cannot be told from zero: any ratio is possible.
        return finite(value, None);
    }
    let (slope, unexplained) = match var_b {
        0.0 => (0.0, var_a),
        _ => (covariance / var_b, (var_a - covariance * covariance / var_b).max(0.0)),
    };
    let centre = (value - g * slope) / (1.0 - g);
    let half = t / mean_b * (rest - g * unexplained).max(0.0).sqrt() / (1.0 - g);
    let shares = pairs.iter().map(|(a, b)| value + (a - value * b) / mean_b).collect();
    let (low, high) = mean_interval(shares).unwrap_or((value, value));
    finite(value, Some((low.min(centre - half), high.max(centre + half))))
}

/// The interval of a mean that the rest of the record uses too.
fn mean_interval(values: Vec<f64>) -> Option<(f64, f64)> {
    Sample::of_distinct(values).estimate()?.interval.map(|interval| (interval.low, interval.high))
}

/// Mean of a − b.
pub(super) fn difference(pairs: &[(f64, f64)]) -> Result<Bounded, &'static str> {
    let n = pairs.len() as f64;
    if pairs.is_empty() {
        return Err("no seed has both values");
    }
    let value = mean(pairs.iter().map(|(a, b)| a - b), n);
    finite(value, mean_interval(pairs.iter().map(|(a, b)| a - b).collect()))
}

/// Interval of a statistic from its values with each of the groups left out: the jackknife (B. Efron and C. Stein, Annals of Statistics 9,
/// 1981; with groups, J. Shao and C. F. J. Wu, Annals of Statistics 17, 1989).
pub(super) fn jackknife(value: f64, without: &[f64], student: &Student) -> Option<Interval> {
    let freedom = without.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    if without.iter().all(|other| *other == value) {
        return Some(Interval { low: value, high: value, degenerate: true });
    }
    let groups = without.len() as f64;
    let centre = mean(without.iter().copied(), groups);
    let squares: f64 = without.iter().map(|other| (other - centre) * (other - centre)).sum();
    let half = student.quantile(freedom) * ((groups - 1.0) / groups * squares).sqrt();
    half.is_finite().then_some(Interval { low: value - half, high: value + half, degenerate: false })
}

fn mean(values: impl Iterator<Item = f64>, n: f64) -> f64 {
    values.sum::<f64>() / n
}

fn finite(value: f64, interval: Option<(f64, f64)>) -> Result<Bounded, &'static str> {
    let interval = interval.filter(|(low, high)| low.is_finite() && high.is_finite());
    if value.is_finite() { Ok(Bounded { value, interval }) } else { Err("the ratio is not a finite number") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_has_at_least_the_interval_of_fieller() {
        // Worked by hand: a = 2, 4, 3, 5; b = 1, 2, 2, 2.
        let found = ratio(&[(2.0, 1.0), (4.0, 2.0), (3.0, 2.0), (5.0, 2.0)], &Student::default()).unwrap();
        let (low, high) = found.interval.unwrap();
        assert!((found.value - 2.0).abs() < 1e-12);
        // Both ends r solve (3.5 − 1.75 r)² = t²·(v11 − 2 r v12 + r² v22), t = 3.18245.
        let (v11, v12, v22) = (5.0 / 12.0, 1.5 / 12.0, 0.75 / 12.0);
        let beyond = |end: f64| {
            let left = (3.5 - 1.75 * end).powi(2);
            left - 3.182_446_f64.powi(2) * (v11 - 2.0 * end * v12 + end * end * v22)
        };
        assert!(beyond(low) > -1e-4 && beyond(high) > -1e-4, "{low} {high}");
        // And one end is his.
        assert!(beyond(low).min(beyond(high)) < 1e-4, "{low} {high}");
    }

    #[test]
    fn what_cannot_be_divided_is_said() {
        let student = Student::default();
        for pairs in [vec![], vec![(1.0, 0.0)], vec![(1.0, -1.0), (1.0, 0.5)], vec![(f64::MAX, 1.0), (f64::MAX, 1.0)]] {
            assert!(ratio(&pairs, &student).is_err(), "{pairs:?}");
        }
        assert_eq!(ratio(&[(1.0, 2.0)], &student), Ok(Bounded { value: 0.5, interval: None }));
        let vague = ratio(&[(1.0, 1.0), (1.0, 100.0), (1.0, 2.0)], &student).unwrap();
        assert_eq!(vague.interval, None, "a divisor that may be zero");
    }

    #[test]
    fn equal_pairs_leave_no_doubt() {
        let student = Student::default();
        let pairs = [(3.0, 3.0), (7.0, 7.0), (5.5, 5.5)];
        assert_eq!(ratio(&pairs, &student), Ok(Bounded { value: 1.0, interval: Some((1.0, 1.0)) }));
        assert_eq!(difference(&pairs), Ok(Bounded { value: 0.0, interval: Some((0.0, 0.0)) }));
    }
}
