//! The fuel of one episode: what a call may use, what calls have used, what is left. Compiled and Python strategies have the same one, because it decides
//! scores.
//!
//! Invariants: a call's fuel is the lesser of its own budget and what is left for the episode; nothing is used beyond it; everything that is set up
//! before the market opens (instantiation, a Python file) counts as one call of `initialize`, within its budget.

use crate::callback::Callback;
use crate::histogram::FuelHistogram;
use crate::outcome::{FuelScope, Outcome, Usage};
use crate::ticks::Ticks;
use assay_model::{Budget, StrategyConfig, Time};

/// See the module documentation.
pub(crate) struct Meter {
    budget: Budget,
    /// Fuel left for the episode.
    left: u64,
    /// What events have added to the episode's budget.
    added: u64,
    ticks: Ticks,
    usage: Usage,
    by_call: [FuelHistogram; Callback::ALL.len()],
}

impl Meter {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self {
            budget: *budget,
            left: budget.fuel_episode,
            added: 0,
            ticks: Ticks::default(),
            usage: Usage::default(),
            by_call: Default::default(),
        }
    }

    /// What the strategy may use.
    pub(crate) const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The episode's ticks, some of which add fuel.
    pub(crate) fn expect_ticks(&mut self, config: &StrategyConfig) {
        self.ticks = Ticks::of(config);
    }

    /// The guest is about to be entered.
    #[inline]
    pub(crate) fn count_call(&mut self, callback: Callback) {
        self.usage.of_mut(callback).calls += 1;
    }

    /// What a call at `now` may use.
    #[inline]
    pub(crate) fn allow(&mut self, callback: Callback, now: Time) -> u64 {
        let added = self.adds(callback, now);
        self.left = self.left.saturating_add(added);
        self.added = self.added.saturating_add(added);
        let own = match callback {
            Callback::Initialize => self.budget.fuel_initialize.saturating_sub(self.usage.initialize.fuel),
            _ => self.budget.fuel_callback,
        };
        own.min(self.left)
    }

    /// Fuel that a call adds to what is left for the episode. A wake-up adds nothing.
    fn adds(&mut self, callback: Callback, now: Time) -> u64 {
        match callback {
            Callback::OnTick if self.budget.fuel_per_tick > 0 && self.ticks.has_come(now) => self.budget.fuel_per_tick,
            Callback::OnMarketData => self.budget.fuel_per_market_data,
            Callback::OnOrderUpdate => self.budget.fuel_per_order_update,
            Callback::OnTick | Callback::Initialize | Callback::OnSimulationEnd => 0,
        }
    }

    /// A call at `now` has used `fuel`.
    #[inline]
    pub(crate) fn bill(&mut self, callback: Callback, fuel: u64, now: Time) {
        self.left = self.left.saturating_sub(fuel);
        let usage = self.usage.of_mut(callback);
        usage.fuel += fuel;
        let of_call = if callback == Callback::Initialize { usage.fuel } else { fuel };
        if of_call > usage.fuel_max {
            (usage.fuel_max, usage.fuel_max_at_ns) = (of_call, now.0);
        }
        // That of `initialize` is whole only at the end: see `by_call`.
        if callback != Callback::Initialize {
            self.by_call[callback as usize].record(fuel);
        }
    }

    /// The outcome of a call that had `fuel` and needed more.
    pub(crate) fn out_of_fuel(&self, callback: Callback, fuel: u64) -> Outcome {
        let (scope, limit) = match callback {
            _ if fuel >= self.left => (FuelScope::Episode, self.budget.fuel_episode.saturating_add(self.added)),
            Callback::Initialize => (FuelScope::Callback, self.budget.fuel_initialize),
            _ => (FuelScope::Callback, self.budget.fuel_callback),
        };
        Outcome::OutOfFuel { callback, scope, limit }
    }

    /// What was used so far, without what others count: calls of the host and memory.
    pub(crate) const fn usage(&self) -> Usage {
        self.usage
    }

    /// The fuel of every call, by callback.
    pub(crate) fn by_call(mut self) -> [FuelHistogram; Callback::ALL.len()] {
        if self.usage.initialize.calls > 0 {
            self.by_call[Callback::Initialize as usize].record(self.usage.initialize.fuel);
        }
        self.by_call
    }
}
