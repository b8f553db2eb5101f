//! How lifelike a market is: ten facts about prices and flow and three about what it pays for, each a gate with statistics and their limits.
//!
//! The facts are those of Cont (2001, "Empirical properties of asset returns"), of Lillo & Farmer (2004) and Bouchaud et al. (2004) on the memory of
//! order signs, and of Vyetrenko et al. (2019, "Get Real"). An [`Observer`] listens to one episode, [`scorecard`] judges many: a gate passes if the
//! whole 95 % interval of the median over the episodes of each of its statistics lies within its limits, so that a market cannot pass by chance.
//! Most limits are for full days: the band of an autocorrelation is that of 390 one-minute returns.
//!
//! The last three are economic. What takers pay, the effective spread, splits into what makers keep after a minute, the realised spread, and the impact
//! (Huang & Stoll 1996). Where trades carry information, the impact is most of it (Glosten & Milgrom 1985; Kyle 1985): on US venues makers keep a small
//! part, at times a negative one, before rebates (Hendershott, Jones & Menkveld 2011; Conrad & Wahal 2020). And strategies that know nothing, the
//! [`references`], must not earn: a Sharpe ratio of 5 after fees is beyond what even high-frequency firms with their information and speed show at the median
//! (4.3 in Baron, Brogaard, Hagströmer & Kirilenko 2019), so a naive rule that has one has found a flaw of the market. Trend and reversal may not lose so surely
//! either, for each is the other's opposite. The maker may lose: quoting a fixed spread whatever happens is a loss wherever trades carry information (Glosten &
//! Milgrom 1985), and its opposite, who takes what it quotes, pays spread and fees.
//!
//! Invariants: the mid is the last two-sided one, sampled on a grid of seconds from the first on; market and limit orders that trade count as one taker order
//! each, however many they meet. What a sample cannot support is `None`, never an invented 0. The bootstrap draws from a stream of its own: the same
//! observations give the same interval.

mod observer;
pub mod references;
mod report;
mod statistics;

pub use observer::{Observer, SESSION_MIN};
pub use report::report;

use crate::trader::Until;
use crate::{Inert, Scenario, simulate};
use assay_model::{Nanos, Seed, Stream};
use references::Reference;

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
    /// What of many episodes must lie between them.
    pub centre: Centre,
}

/// What stands for many episodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Centre {
    /// Their median.
    Median,
    /// Their mean: a Sharpe ratio of one day has a standard error of 16, so the days must be pooled, and a median wastes a third of them.
    Mean,
}

/// The facts, in the order of their numbers: ten about prices and flow, three about what the market pays for.
pub const GATES: [&str; 13] = [
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
    "makers keep little",
    "trades move prices",
    "no free lunch",
];

/// Lags, in minutes, at which the autocorrelation of absolute returns must be above the band of no correlation.
const VOLATILITY_LAGS: [usize; 3] = [1, 5, 10];

/// Half of the 95 % band of an autocorrelation of 390 independent returns: 1.96 / √390.
const BAND: f64 = 0.1;

/// Largest Sharpe ratio of a strategy that knows nothing.
const SHARPE_MAX: f64 = 5.0;

/// Fewest episodes that have an interval: of fewer, the extremes are too likely to be the same.
pub const EPISODES_MIN: usize = 10;
/// Samples of the bootstrap.
const RESAMPLES: usize = 2_000;

/// How many statistics there are.
pub const STATISTIC_COUNT: usize = 20;

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
    statistic(11, "realised over effective spread, 60 s", -0.2, 0.4),
    statistic(12, "price impact over effective spread, 60 s", 0.6, 1.2),
    pooled(13, "Sharpe ratio after fees: fixed-spread maker", f64::NEG_INFINITY, SHARPE_MAX),
    pooled(13, "the same: one-minute trend", -SHARPE_MAX, SHARPE_MAX),
    pooled(13, "the same: one-minute reversal", -SHARPE_MAX, SHARPE_MAX),
];

const fn statistic(gate: usize, name: &'static str, least: f64, most: f64) -> Statistic {
    Statistic { gate, name, least, most, centre: Centre::Median }
}

const fn pooled(gate: usize, name: &'static str, least: f64, most: f64) -> Statistic {
    Statistic { centre: Centre::Mean, ..statistic(gate, name, least, most) }
}

/// The statistics of one episode, in the order of [`STATISTICS`]; `None` where the sample does not support one.
pub type Observation = [Option<f64>; STATISTIC_COUNT];

/// Runs one episode with an inert trader and observes it, to the latest close: the gates judge how a market moves, not when it ends; and one with each of the
/// reference strategies.
#[must_use]
pub fn observe(scenario: &Scenario, seed: Seed) -> Observation {
    observe_unless(scenario, seed, &|| false).unwrap_or([None; STATISTIC_COUNT])
}

/// The same; none once `is_over` says that nobody wants it any more, which is asked many times a second.
#[must_use]
pub fn observe_unless(scenario: &Scenario, seed: Seed, is_over: &dyn Fn() -> bool) -> Option<Observation> {
    let mut scenario = scenario.clone();
    scenario.close_window = Nanos(0);
    let mut observer = Observer::new(scenario.open, scenario.close);
    let mut trader = Until::new(Inert::new(scenario.new_desk(seed)), is_over);
    simulate(&scenario, seed, &mut trader, &mut observer);
    trader.into_finished()?;
    let spread = observer.spread();
    let mut observation = observer.finish();
    if let Some(spread) = spread.filter(|_| scenario.close.since(scenario.open) >= SESSION_MIN) {
        let from = STATISTIC_COUNT - Reference::ALL.len();
        for (slot, reference) in observation[from..].iter_mut().zip(Reference::ALL) {
            *slot = references::sharpe(&scenario, seed, reference, spread, is_over);
        }
    }
    (!is_over()).then_some(observation)
}

/// One statistic over many episodes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Score {
    /// Which.
    pub statistic: Statistic,
    /// Episodes that support it.
    pub episodes: usize,
    /// Median or mean over them; `None` if fewer than half of all support it.
    pub centre: Option<f64>,
    /// Its 95 % interval by the percentile bootstrap (Efron & Tibshirani 1993); `None` for fewer than [`EPISODES_MIN`].
    pub interval: Option<(f64, f64)>,
    /// From where to where the middle 90 % of them lie.
    pub band: (f64, f64),
}

impl Score {
    /// Whether the whole interval lies within the limits.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.interval.is_some_and(|(low, high)| self.statistic.least <= low && high <= self.statistic.most)
    }
}

/// Judges episodes; one score for each of [`STATISTICS`].
#[must_use]
pub fn scorecard(observations: &[Observation]) -> [Score; STATISTIC_COUNT] {
    std::array::from_fn(|index| {
        let statistic = STATISTICS[index];
        let mut values: Vec<f64> = observations.iter().filter_map(|observation| observation[index]).collect();
        values.sort_by(f64::total_cmp);
        let enough = !values.is_empty() && 2 * values.len() >= observations.len();
        Score {
            statistic,
            episodes: values.len(),
            centre: enough.then(|| centre(statistic.centre, &values)),
            interval: (enough && values.len() >= EPISODES_MIN).then(|| interval(&statistic, &values)),
            band: (statistics::quantile(&values, 0.05), statistics::quantile(&values, 0.95)),
        }
    })
}

fn centre(centre: Centre, sorted: &[f64]) -> f64 {
    match centre {
        Centre::Median => statistics::quantile(sorted, 0.5),
        Centre::Mean => sorted.iter().sum::<f64>() / sorted.len() as f64,
    }
}

/// The 95 % interval of the centre of values that are sorted.
fn interval(statistic: &Statistic, sorted: &[f64]) -> (f64, f64) {
    let mut stream = Stream::new(Seed(0), "realism", statistic.name);
    let mut resample = vec![0.0; sorted.len()];
    let mut places = vec![0; sorted.len()];
    let mut centres: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            // Places are sorted by counting, which is quicker than sorting values.
            places.fill(0);
            (0..sorted.len()).for_each(|_| places[stream.below(sorted.len() as u64) as usize] += 1);
            let drawn = sorted.iter().zip(&places).flat_map(|(value, times)| std::iter::repeat_n(*value, *times));
            resample.iter_mut().zip(drawn).for_each(|(slot, value)| *slot = value);
            centre(statistic.centre, &resample)
        })
        .collect();
    centres.sort_by(f64::total_cmp);
    (statistics::quantile(&centres, 0.025), statistics::quantile(&centres, 0.975))
}

/// Whether each gate passes, in the order of [`GATES`]: all of its statistics must.
#[must_use]
pub fn gates(scores: &[Score]) -> [bool; GATES.len()] {
    std::array::from_fn(|index| scores.iter().filter(|score| score.statistic.gate == index + 1).all(Score::passes))
}
