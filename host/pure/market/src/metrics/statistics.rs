//! Small accumulators: time-weighted moments, samples on a time grid, moments of returns.

use assay_model::{Nanos, Time};

/// Mean and deviation of a step function over the time in which it is defined.
///
/// Integers throughout; the variance is taken about the whole part of the mean, so a large level costs no precision.
#[derive(Debug, Default)]
pub(super) struct TimeWeighted {
    since: Time,
    value: Option<i64>,
    duration: i128,
    sum: i128,
    sum_squared: i128,
}

impl TimeWeighted {
    pub(super) fn new(at: Time, value: Option<i64>) -> Self {
        Self { since: at, value, ..Self::default() }
    }

    /// From `at` on, or from the start if that is later, the function is `value`; undefined stretches count for nothing.
    pub(super) fn set(&mut self, at: Time, value: Option<i64>) {
        if value != self.value {
            self.advance(at);
            self.value = value;
        }
    }

    /// The function ends at `at`.
    pub(super) fn finish(&mut self, at: Time) {
        self.advance(at);
        self.value = None;
    }

    fn advance(&mut self, at: Time) {
        let at = at.max(self.since);
        if let Some(old) = self.value.map(i128::from) {
            let duration = i128::from(at.since(self.since).0);
            self.duration += duration;
            self.sum += old * duration;
            self.sum_squared += old * old * duration;
        }
        self.since = at;
    }

    pub(super) fn mean(&self) -> Option<f64> {
        (self.duration > 0).then(|| self.sum as f64 / self.duration as f64)
    }

    pub(super) fn standard_deviation(&self) -> Option<f64> {
        (self.duration > 0).then(|| {
            let whole = self.sum.div_euclid(self.duration);
            let rest = self.sum.rem_euclid(self.duration) as f64 / self.duration as f64;
            let squared = self.sum_squared - 2 * whole * self.sum + whole * whole * self.duration;
            // Rounding can leave a negative crumb where the true variance is 0.
            libm::sqrt((squared as f64 / self.duration as f64 - rest * rest).max(0.0))
        })
    }
}

/// Samples a step function at `from + k·step`, last observation carried forward.
///
/// The first value ever seen stands for the grid point before it (an opening price), so a session of n steps gives n returns.
#[derive(Debug)]
pub(super) struct Grid<T> {
    step: Nanos,
    next: Time,
    value: Option<T>,
}

impl<T: Copy> Grid<T> {
    pub(super) fn new(from: Time, step: Nanos) -> Self {
        Self { step, next: from, value: None }
    }

    /// From `at` on the function is `value`; `sample` gets the grid points that lie before.
    pub(super) fn set(&mut self, at: Time, value: T, mut sample: impl FnMut(T)) {
        match self.value {
            Some(old) => {
                while self.next < at {
                    sample(old);
                    self.next = self.next + self.step;
                }
            }
            None => {
                while self.next + self.step <= at {
                    self.next = self.next + self.step;
                }
                if self.next < at {
                    sample(value);
                    self.next = self.next + self.step;
                }
            }
        }
        self.value = Some(value);
    }

    /// Samples what is left, `close` included.
    pub(super) fn finish(&mut self, close: Time, mut sample: impl FnMut(T)) {
        if let Some(value) = self.value {
            while self.next <= close {
                sample(value);
                self.next = self.next + self.step;
            }
        }
    }
}

/// Mean and squared deviations (Welford 1962): equal samples give a deviation of exactly 0.
#[derive(Debug, Default)]
struct Moments {
    count: u64,
    mean: f64,
    squared_deviations: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.squared_deviations += off * (value - self.mean);
    }
}

/// Logarithmic returns, on a grid, of a positive price that is a step function.
#[derive(Debug)]
pub(super) struct Returns {
    grid: Grid<i64>,
    last: Option<i64>,
    moments: Moments,
}

impl Returns {
    pub(super) fn new(from: Time, step: Nanos) -> Self {
        Self { grid: Grid::new(from, step), last: None, moments: Moments::default() }
    }

    /// From `at` on the function is `value`.
    pub(super) fn set(&mut self, at: Time, value: i64) {
        let Self { grid, last, moments } = self;
        grid.set(at, value, |value| sample(last, moments, value));
    }

    /// Samples what is left, `close` included.
    pub(super) fn finish(&mut self, close: Time) {
        let Self { grid, last, moments } = self;
        grid.finish(close, |value| sample(last, moments, value));
    }

    pub(super) fn step(&self) -> Nanos {
        self.grid.step
    }

    pub(super) fn count(&self) -> u64 {
        self.moments.count
    }

    pub(super) fn sum_squared(&self) -> f64 {
        self.moments.squared_deviations + self.moments.count as f64 * self.moments.mean * self.moments.mean
    }

    /// Sample standard deviation (n − 1); 0 below two returns.
    pub(super) fn standard_deviation(&self) -> f64 {
        let freedom = self.moments.count.saturating_sub(1).max(1);
        libm::sqrt(self.moments.squared_deviations / freedom as f64)
    }
}

fn sample(last: &mut Option<i64>, moments: &mut Moments, value: i64) {
    if let Some(old) = last.replace(value) {
        moments.add(libm::log1p((value - old) as f64 / old as f64));
    }
}
