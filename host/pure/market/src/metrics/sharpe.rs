//! Equity on a time grid, its Sharpe ratio and the ratio's standard error.
//!
//! Invariant: the last step ends at the close with what the liquidation left, so a loss that shows only then is in the ratio.

use super::measure::{Measure, Missing, NONZERO_RETURNS_MIN, RETURNS_MIN, Sample};
use super::tape::YEAR_SECONDS;
use assay_model::{Nanos, Time};

/// Step of the equity grid: thirty returns of a minute would take more than a half-hour session has behind its warm-up.
const STEP: Nanos = Nanos::from_secs(30);

/// Equity less starting cash at each step, in micro-cents.
#[derive(Debug)]
pub(super) struct EquitySteps {
    from: Time,
    next: Time,
    values: Vec<i128>,
}

impl EquitySteps {
    pub(super) fn new(from: Time) -> Self {
        Self { from, next: from, values: Vec::new() }
    }

    /// The next time before `until` at which equity is to be looked at.
    pub(super) fn due_before(&self, until: Time) -> Option<Time> {
        (self.next < until).then_some(self.next)
    }

    /// Equity is this at the time that was due.
    pub(super) fn take(&mut self, value: i128) {
        self.values.push(value);
        self.next = self.next + STEP;
    }

    /// The session has ended, with this equity; all that was due before has been taken.
    pub(super) fn finish(&mut self, close: Time, value: i128) {
        if self.next == close {
            self.take(value);
        }
        // What is left of a step that the close cuts off belongs to the one before it.
        if let [_, .., last] = self.values.as_mut_slice() {
            *last = value;
        }
        debug_assert!(close < self.next || close < self.from, "a step is missing");
    }

    pub(super) fn count(&self) -> u64 {
        self.values.len().saturating_sub(1) as u64
    }

    /// The annualised Sharpe ratio, or its standard error.
    pub(super) fn sharpe(&self, standard_error: bool) -> Measure {
        let too_few = |sample, have, need| Measure::Missing(Missing::TooFew { sample, have, need });
        let returns: Vec<f64> = self.values.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let nonzero = returns.iter().filter(|value| **value != 0.0).count() as u64;
        if self.count() < RETURNS_MIN {
            return too_few(Sample::Returns, self.count(), RETURNS_MIN);
        }
        if nonzero < NONZERO_RETURNS_MIN {
            return too_few(Sample::NonzeroReturns, nonzero, NONZERO_RETURNS_MIN);
        }
        let count = returns.len() as f64;
        let mean = returns.iter().sum::<f64>() / count;
        let squares: f64 = returns.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = libm::sqrt(squares / (count - 1.0));
        if deviation == 0.0 {
            return Measure::Missing(Missing::NoVariation);
        }
        let value = if standard_error { error(&returns, mean, squares / count) } else { mean / deviation };
        Measure::Value(value * libm::sqrt(YEAR_SECONDS * 1e9 / STEP.0 as f64))
    }
}

/// The standard error of mean ÷ deviation where neither normal nor independent returns are assumed (Lo 2002, the GMM estimator of its
/// appendix): the long-run variance of the ratio's influence function, with the weights of Newey and West (1987) and lags up to
/// 4(n/100)^(2/9) (Newey and West 1994).
fn error(returns: &[f64], mean: f64, variance: f64) -> f64 {
    let count = returns.len() as f64;
    let deviation = libm::sqrt(variance);
    let influence: Vec<f64> = returns
        .iter()
        .map(|value| {
            let off = (value - mean) / deviation;
            off - mean / deviation / 2.0 * (off * off - 1.0)
        })
        .collect();
    let covariance = |lag: usize| -> f64 {
        influence.iter().zip(&influence[lag..]).map(|(earlier, later)| earlier * later).sum::<f64>() / count
    };
    let lags = libm::floor(4.0 * libm::pow(count / 100.0, 2.0 / 9.0)) as usize;
    let weighted = |lag: usize| 2.0 * (1.0 - lag as f64 / (lags as f64 + 1.0)) * covariance(lag);
    let long_run = covariance(0) + (1..=lags).map(weighted).sum::<f64>();
    libm::sqrt(long_run.max(0.0) / count)
}
