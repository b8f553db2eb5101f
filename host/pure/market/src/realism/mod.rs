//! How lifelike a market is: ten facts of real markets, each a gate with statistics and their limits.
//!
//! The facts are those of Cont (2001, "Empirical properties of asset returns"), of Lillo & Farmer (2004) and Bouchaud et al. (2004) on the memory of
//! order signs, and of Vyetrenko et al. (2019, "Get Real"). An [`Observer`] listens to one episode, [`scorecard`] judges many: a gate passes if the
//! median over the episodes of each of its statistics lies within its limits. Most limits are for full days: the band of an
//! autocorrelation is that of 390 one-minute returns.
//!
//! Invariants: the mid is the last two-sided one, sampled on a grid of seconds from the first on; market and limit orders that trade count as one taker order
//! each, however many they meet. What a sample cannot support is `None`, never an invented 0.

mod observer;
mod report;
mod statistics;

pub use observer::{Observer, SESSION_MIN};
pub use report::report;

use crate::{Inert, Scenario, simulate};
use assay_model::Seed;

/// One statistic of a gate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Statistic {
    /// Number of the gate, from 1.
    pub gate: usize,
    /// What it measures.
    pub name: &'static str,
    /// The median must not be below this.
    pub least: f64,
    /// Nor above this.
    pub most: f64,
}

/// The ten facts, in the order of their numbers.
pub const GATES: [&str; 10] = [
    "no linear autocorrelation",
    "random walk",
    "heavy tails",
    "tail index",
    "aggregational Gaussianity",
    "volatility clustering",
    "volume and volatility",
    "order-sign memory",
    "clustered arrivals",
    "U-shaped volume",
];

/// Lags, in minutes, at which the autocorrelation of absolute returns must be above the band of no correlation.
const VOLATILITY_LAGS: [usize; 3] = [1, 5, 10];

/// Half of the 95 % band of an autocorrelation of 390 independent returns: 1.96 / √390.
const BAND: f64 = 0.1;

/// How many statistics there are.
pub const STATISTIC_COUNT: usize = 15;

/// Every statistic, by gate.
pub const STATISTICS: [Statistic; STATISTIC_COUNT] = [
    statistic(1, "autocorrelation of 1-min returns", -BAND, BAND),
    statistic(2, "variance ratio, 300 s to 1 s", 0.7, 1.3),
    statistic(3, "excess kurtosis of 1-min returns", 1.0, f64::INFINITY),
    statistic(4, "Hill index of the largest 5 % of 1-min returns", 2.0, 5.0),
    statistic(5, "fall of excess kurtosis from 1 to 5 min", 0.0, f64::INFINITY),
    statistic(6, "autocorrelation of absolute 1-min returns, 1 min", BAND, 1.0),
    statistic(6, "the same, 5 min", BAND, 1.0),
    statistic(6, "the same, 10 min", BAND, 1.0),
    statistic(6, "exponent of its decay", 0.1, 0.6),
    statistic(7, "correlation of minute volume and absolute return", 0.1, 1.0),
    statistic(8, "autocorrelation of taker sides, next order", 0.1, 0.5),
    statistic(8, "exponent of its decay", 0.3, 0.8),
    statistic(9, "coefficient of variation of times between taker orders", 1.2, f64::INFINITY),
    statistic(10, "volume of the first half-hour to that of midday", 1.2, f64::INFINITY),
    statistic(10, "volume of the last half-hour to that of midday", 1.2, f64::INFINITY),
];

const fn statistic(gate: usize, name: &'static str, least: f64, most: f64) -> Statistic {
    Statistic { gate, name, least, most }
}

/// The statistics of one episode, in the order of [`STATISTICS`]; `None` where the sample does not support one.
pub type Observation = [Option<f64>; STATISTIC_COUNT];

/// Runs one episode with an inert trader and observes it.
#[must_use]
pub fn observe(scenario: &Scenario, seed: Seed) -> Observation {
    let mut observer = Observer::new(scenario.open, scenario.close);
    simulate(scenario, seed, &mut Inert::new(scenario.new_desk(seed)), &mut observer);
    observer.finish()
}

/// One statistic over many episodes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Score {
    /// Which.
    pub statistic: Statistic,
    /// Episodes that support it.
    pub episodes: usize,
    /// Median over them; `None` if fewer than half of all support it.
    pub median: Option<f64>,
    /// From where to where the middle 90 % of them lie.
    pub band: (f64, f64),
}

impl Score {
    /// Whether the median lies within the limits.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.median.is_some_and(|median| (self.statistic.least..=self.statistic.most).contains(&median))
    }
}

/// Judges episodes; one score for each of [`STATISTICS`].
#[must_use]
pub fn scorecard(observations: &[Observation]) -> [Score; STATISTIC_COUNT] {
    std::array::from_fn(|index| {
        let mut values: Vec<f64> = observations.iter().filter_map(|observation| observation[index]).collect();
        values.sort_by(f64::total_cmp);
        let enough = !values.is_empty() && 2 * values.len() >= observations.len();
        Score {
            statistic: STATISTICS[index],
            episodes: values.len(),
            median: enough.then(|| statistics::quantile(&values, 0.5)),
            band: (statistics::quantile(&values, 0.05), statistics::quantile(&values, 0.95)),
        }
    })
}

/// Whether each gate passes, in the order of [`GATES`]: all of its statistics must.
#[must_use]
pub fn gates(scores: &[Score]) -> [bool; GATES.len()] {
    std::array::from_fn(|index| scores.iter().filter(|score| score.statistic.gate == index + 1).all(Score::passes))
}
