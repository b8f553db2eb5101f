//! Intervals for a mean: the wider end of Student's t and of Hall's transformation, which allows for skewness.
//!
//! Student's interval misses a skewed mean on one side: with 20 exponential values it covers 92% instead of 95%. Hall's (P. Hall, "On the removal of
//! skewness by transformation", J. R. Statist. Soc. B 54, 1992, 221–228) mends that, but is too short where tails are heavy on both sides. Whichever
//! reaches further is taken at each end, so no interval covers less than either. `docs/evidence.md` has the table.
//!
//! Invariant: an end and the p-value of a tail agree: zero lies beyond the end exactly if the p-value is below the level.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, StudentsT};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Quantiles that a thread keeps.
const QUANTILES_MAX: usize = 4_096;
/// Below this, a skewness is none: Hall's transformation divides by it.
const SKEWNESS_NONE: f64 = 1e-9;

/// A 95% interval for a mean.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Every observation is the same number: the interval is that point and says nothing about other seeds.
    pub degenerate: bool,
}

impl Interval {
    /// Whether the interval lies wholly on one side of zero; never for a degenerate one.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        !self.degenerate && (self.low > 0.0 || self.high < 0.0)
    }
}

/// A mean of observations, or a difference of two means, with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Observations, or pairs of them; of two independent samples, the smaller number.
    pub n: u64,
    /// The mean.
    pub mean: f64,
    /// Its 95% interval, which takes two observations of each sample.
    pub interval: Option<Interval>,
    /// Two-sided p-value of a mean of zero; `None` without an interval, or with a degenerate one.
    pub p: Option<f64>,
}

impl Estimate {
    /// Whether the mean can be told from zero, as the only question asked of the data.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.interval.is_some_and(|interval| interval.excludes_zero())
    }
}

/// A confidence level: more than a half and less than one.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Confidence(pub(super) f64);

impl Confidence {
    /// From percent: 95 is the usual one. `None` outside 50 to 99.99, where an interval says nothing or has no end.
    #[must_use]
    pub fn percent(percent: f64) -> Option<Self> {
        (percent > 50.0 && percent <= 99.99).then_some(Self(percent / 100.0))
    }

    /// As a probability.
    #[must_use]
    pub const fn share(self) -> f64 {
        self.0
    }
}

/// Which end of a one-sided interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tail {
    /// The true mean is at least the bound.
    Lower,
    /// The true mean is at most the bound.
    Upper,
}

/// What an interval is made of: at least two values that are not all the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub n: f64,
    pub mean: f64,
    /// Sample deviation (n − 1), more than 0.
    pub sd: f64,
    /// Third moment over the deviation cubed, both with n.
    pub skewness: f64,
}

impl Shape {
    /// The end of an interval that leaves `1 - probability` beyond it.
    pub(super) fn end(&self, tail: Tail, probability: f64) -> f64 {
        let q = student_t_quantile(self.n - 1.0, probability) / self.n.sqrt();
        match tail {
            Tail::Lower => (self.mean - self.sd * q).min(self.mean - self.sd * self.untransformed(q)),
            Tail::Upper => (self.mean + self.sd * q).max(self.mean - self.sd * self.untransformed(-q)),
        }
    }

    /// Two-sided p-value of a true mean of zero: the larger of both methods', doubled.
    pub(super) fn p(&self) -> f64 {
        let ratio = self.mean / self.sd;
        let (plain, hall) = (ratio * self.n.sqrt(), self.transformed(ratio) * self.n.sqrt());
        let least = if self.mean > 0.0 { plain.min(hall) } else { (-plain).min(-hall) };
        (2.0 * student_t_upper(self.n - 1.0, least)).min(1.0)
    }

    /// Hall's g(w) = w + γw²/3 + γ²w³/27 + γ/(6n), increasing in w.
    fn transformed(&self, w: f64) -> f64 {
        let g = self.skewness;
        w + g * w * w / 3.0 + g * g * w * w * w / 27.0 + g / (6.0 * self.n)
    }

    /// The w with g(w) = y.
    fn untransformed(&self, y: f64) -> f64 {
        let g = self.skewness;
        if g.abs() < SKEWNESS_NONE {
            return y;
        }
        3.0 / g * ((1.0 + g * (y - g / (6.0 * self.n))).cbrt() - 1.0)
    }
}

/// The quantile of Student's t at `probability` with these degrees of freedom, more than 0. Each thread keeps what it has computed: a score asks for
/// the same one thousands of times, and it takes longer than everything else there.
pub(super) fn student_t_quantile(freedom: f64, probability: f64) -> f64 {
    thread_local! {
        static KNOWN: RefCell<BTreeMap<(u64, u64), f64>> = const { RefCell::new(BTreeMap::new()) };
    }
    let key = (freedom.to_bits(), probability.to_bits());
    if let Some(quantile) = KNOWN.with_borrow(|known| known.get(&key).copied()) {
        return quantile;
    }
    let quantile = StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(probability));
    KNOWN.with_borrow_mut(|known| {
        if known.len() < QUANTILES_MAX {
            known.insert(key, quantile);
        }
    });
    quantile
}

/// The probability that Student's t with these degrees of freedom, more than 0, is above `t`.
pub(super) fn student_t_upper(freedom: f64, t: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |distribution| distribution.sf(t))
}
