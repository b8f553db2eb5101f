//! The fundamental value, which value agents observe with noise: a mean-reverting process with rare large shocks, or a [`FundamentalSeries`] from
//! outside.
//!
//! The process's path is an Ornstein–Uhlenbeck process, advanced by its exact transition (Uhlenbeck & Ornstein 1930) on a fixed grid and at
//! each shock, and holds in between. Invariant: the value is a function of seed and time alone, not of who looks when or how often;
//! so adding an agent leaves the value that every other agent sees as it was.

use std::sync::Arc;

use assay_model::{Nanos, Seed, Stream, SymbolIndex, Time};

use crate::owner::FUNDAMENTAL;
use crate::scenario::Prefix;
use crate::series::FundamentalSeries;
use crate::{FundamentalSettings, Scenario};

/// The fundamental value of one symbol in one episode. Time only moves forward.
#[derive(Clone, Debug)]
pub struct Fundamental {
    source: Source,
    /// For a symbol that is not the first: what it follows.
    leader: Option<Box<Leader>>,
}

/// The first symbol's value, and how many cents of each cent that it is off its mean come on top.
#[derive(Clone, Debug)]
struct Leader {
    first: Fundamental,
    mean: f64,
    beta: f64,
}

#[derive(Clone, Debug)]
enum Source {
    Process(Process),
    Series(Arc<FundamentalSeries>),
}

#[derive(Clone, Debug)]
struct Process {
    settings: FundamentalSettings,
    value: f64,
    /// The sum of all shocks so far.
    news: f64,
    /// When `value` began to hold.
    at: Time,
    next_step: Time,
    next_shock: Time,
    /// The size of the next shock, if it follows on another one.
    aftershock: Option<f64>,
    /// The transition over one whole step, which is nearly every one.
    step: Transition,
    path: Stream,
    shocks: Stream,
}

/// How the distance to the mean moves over some time: it shrinks by `decay` and gets a normal change with `deviation`.
#[derive(Clone, Copy, Debug)]
struct Transition {
    decay: f64,
    deviation: f64,
}

impl Transition {
    /// The exact transition over `elapsed`; the variance is `volatility² · (1 − e^(−2κt)) / 2κ`.
    fn over(settings: &FundamentalSettings, elapsed: Nanos) -> Self {
        let seconds = elapsed.0 as f64 * 1e-9;
        let reversion = settings.mean_reversion_per_second;
        let effective_seconds =
            if reversion == 0.0 { seconds } else { -libm::expm1(-2.0 * reversion * seconds) / (2.0 * reversion) };
        Self {
            decay: libm::exp(-reversion * seconds),
            deviation: settings.volatility_per_root_second * effective_seconds.sqrt(),
        }
    }
}

impl Fundamental {
    /// The value of a symbol in the episode of `seed` in this scenario.
    #[must_use]
    pub fn of(scenario: &Scenario, symbol: SymbolIndex, seed: Seed) -> Self {
        let first = match &scenario.fundamental_series {
            Some(series) => Self { source: Source::Series(Arc::clone(series)), leader: None },
            None => Self::new(&scenario.fundamental, seed, scenario.open),
        };
        let Some(other) = scenario.other(symbol) else { return first };
        let owner = format!("{}{FUNDAMENTAL}", Prefix(Some(other)));
        let own = Process::new(&owner, &other.fundamental, seed, scenario.open);
        let leader = Leader { first, mean: scenario.level(SymbolIndex::FIRST, seed), beta: other.beta };
        Self { source: Source::Process(own), leader: Some(Box::new(leader)) }
    }

    /// The first symbol's process; it is the mean at `open`.
    #[must_use]
    pub fn new(settings: &FundamentalSettings, seed: Seed, open: Time) -> Self {
        Self { source: Source::Process(Process::new(FUNDAMENTAL, settings, seed, open)), leader: None }
    }

    /// The value at `at` in cents, not negative. A time before the last one asked for gives the same value as that.
    pub fn value_at(&mut self, at: Time) -> f64 {
        let own = match &mut self.source {
            Source::Process(process) => process.value_at(at),
            Source::Series(series) => series.value_at(at),
        };
        let led = self.leader.as_mut().map_or(0.0, |leader| leader.beta * (leader.first.value_at(at) - leader.mean));
        // The floor is on what is seen, not on the process: a reflecting process would have another mean.
        (own + led).max(0.0)
    }
}

impl Fundamental {
    /// The sum of the shocks to the value up to `at`, in cents: what is in the news. None are in those of a series.
    pub fn news_at(&mut self, at: Time) -> f64 {
        self.value_at(at);
        let own = match &self.source {
            Source::Process(process) => process.news,
            Source::Series(_) => 0.0,
        };
        own + self.leader.as_mut().map_or(0.0, |leader| leader.beta * leader.first.news_at(at))
    }
}

impl Fundamental {
    /// When the next shock after `at` comes; [`Time`]'s last value if there is none.
    pub fn next_news(&mut self, at: Time) -> Time {
        self.value_at(at);
        let own = match &self.source {
            Source::Process(process) => process.next_shock,
            Source::Series(_) => Time(u64::MAX),
        };
        self.leader.as_mut().map_or(own, |leader| own.min(leader.first.next_news(at)))
    }
}

impl Process {
    fn new(owner: &str, settings: &FundamentalSettings, seed: Seed, open: Time) -> Self {
        let mut shocks = Stream::new(seed, owner, "shocks");
        let mean = settings.level(seed, owner);
        Self {
            value: mean,
            news: 0.0,
            at: open,
            next_step: open + settings.step,
            next_shock: open + wait(settings.shock_interval, &mut shocks),
            aftershock: None,
            step: Transition::over(settings, settings.step),
            path: Stream::new(seed, owner, "path"),
            shocks,
            settings: FundamentalSettings { mean, mean_most: mean, ..settings.clone() },
        }
    }

    /// May be negative.
    fn value_at(&mut self, at: Time) -> f64 {
        while self.next_step.min(self.next_shock) <= at {
            if self.next_shock <= self.next_step {
                self.advance(Transition::over(&self.settings, self.next_shock.since(self.at)), self.next_shock);
                self.shock();
            } else {
                // After a shock within this step, only the rest of the step is left.
                let elapsed = self.next_step.since(self.at);
                let transition =
                    if elapsed == self.settings.step { self.step } else { Transition::over(&self.settings, elapsed) };
                self.advance(transition, self.next_step);
                self.next_step = self.next_step + self.settings.step;
            }
        }
        self.value
    }

    /// A shock now, and when the next one comes. Each goes up or down with equal chance, whatever was before: the past says nothing about the next.
    fn shock(&mut self) {
        let Self { settings, shocks, .. } = self;
        let after = self.aftershock.take();
        let size = after.unwrap_or_else(|| settings.shock_mean + settings.shock_variance.sqrt() * shocks.normal());
        let shock = if shocks.coin() { size } else { -size };
        self.value += shock;
        self.news += shock;
        let has_aftershock = after.is_none() && settings.aftershock_interval != Nanos(0);
        self.aftershock = has_aftershock.then_some(size);
        let interval = if has_aftershock { settings.aftershock_interval } else { settings.shock_interval };
        self.next_shock = self.at + wait(interval, shocks);
    }

    fn advance(&mut self, transition: Transition, to: Time) {
        let mean = self.settings.mean;
        self.value = mean + (self.value - mean) * transition.decay + transition.deviation * self.path.normal();
        self.at = to;
    }
}

/// Time to the next shock, at least a nanosecond; for ever if there are none.
fn wait(interval: Nanos, shocks: &mut Stream) -> Nanos {
    if interval == Nanos(0) {
        return Nanos(u64::MAX);
    }
    Nanos((shocks.exponential(interval.0 as f64) as u64).max(1))
}
