//! Value agents: each estimates the fundamental value at the close and trades towards it.
//!
//! The estimate is Bayesian: a normal belief about the value is moved forward in time by the mean reversion that the agent believes
//! in, widened by the shocks it expects, and combined with a noisy observation.

use assay_model::{Nanos, OrderUpdate, Side, Stream, Time};

use super::size::Sizes;
use super::{Agent, Arrivals, Hours, LiveOrders};
use crate::scenario::{SizeRange, ValueSettings};
use crate::simulation::{Context, MarketSnapshot, Owner};

/// See the module documentation.
pub(crate) struct Value<'s> {
    settings: &'s ValueSettings,
    belief: Belief,
    close: Time,
    arrivals: Arrivals,
    observations: Stream,
    placements: Stream,
    sizes: Sizes,
    live: LiveOrders,
}

/// A normal belief about the fundamental value at a time.
#[derive(Clone, Copy, Debug)]
struct Belief {
    /// What the agent believes the long-run mean to be.
    long_run_mean: f64,
    /// `ln(1 − κ)` for the mean reversion κ of one nanosecond.
    log_decay: f64,
    at: Time,
    mean: f64,
    variance: f64,
}

impl Belief {
    fn new(settings: &ValueSettings, long_run_mean: f64, at: Time) -> Self {
        let log_decay = libm::log1p(-settings.mean_reversion_per_second * 1e-9);
        Self { long_run_mean, log_decay, at, mean: long_run_mean, variance: 0.0 }
    }

    /// What the belief's mean becomes after `elapsed`.
    fn mean_after(&self, elapsed: Nanos) -> f64 {
        // 1 − κ is so close to one that the power must not be formed: 1 − (1 − κ)^t would lose its digits.
        self.long_run_mean + (self.mean - self.long_run_mean) * libm::exp(self.log_decay * elapsed.0 as f64)
    }

    /// The variance after `elapsed`: what is left of it, and the shocks since, each of which has decayed since it happened.
    fn variance_after(&self, elapsed: Nanos, shock_variance: f64) -> f64 {
        let nanoseconds = elapsed.0 as f64;
        let effective = if self.log_decay == 0.0 {
            nanoseconds
        } else {
            libm::expm1(2.0 * self.log_decay * nanoseconds) / libm::expm1(2.0 * self.log_decay)
        };
        self.variance * libm::exp(2.0 * self.log_decay * nanoseconds) + shock_variance * effective
    }

    /// Takes in an observation at `now`. The posterior variance follows from the variance *at that time*, not from the one before.
    fn observe(&mut self, now: Time, observed: f64, settings: &ValueSettings) {
        let elapsed = now.since(self.at);
        let (mean, variance) =
            (self.mean_after(elapsed), self.variance_after(elapsed, settings.shock_variance_per_nanosecond));
        let noise = settings.observation_variance;
        let total = noise + variance;
        // Certain of both: the observation says nothing that contradicts the belief.
        let weight = if total == 0.0 { 0.0 } else { variance / total };
        *self = Self { at: now, mean: mean + weight * (observed - mean), variance: noise * weight, ..*self };
    }
}

impl<'s> Value<'s> {
    /// An agent and its first wake-up.
    pub(crate) fn new(
        settings: &'s ValueSettings,
        own_size: Option<SizeRange>,
        long_run_mean: f64,
        owner: Owner<'_>,
        hours: Hours,
    ) -> (Self, Time) {
        let arrivals = Arrivals::new(owner, settings.wake_interval, hours);
        let wake = arrivals.next;
        let agent = Self {
            settings,
            belief: Belief::new(settings, long_run_mean, hours.open),
            close: hours.close,
            arrivals,
            observations: owner.stream("observe"),
            placements: owner.stream("place-order"),
            sizes: Sizes::new(own_size, owner.stream("size")),
            live: LiveOrders::default(),
        };
        (agent, wake)
    }

    /// The fundamental value that the agent expects at the close, in cents.
    fn estimate(&mut self, context: &mut Context<'_, '_>) -> i64 {
        let noise = self.settings.observation_variance.sqrt() * self.observations.normal();
        let observed = (context.fundamental() + noise).round_ties_even();
        let now = context.now();
        self.belief.observe(now, observed, self.settings);
        self.belief.mean_after(self.close.since(now)).round_ties_even() as i64
    }
}

impl Agent for Value<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        context.wake_at(self.arrivals.advance());
        self.live.cancel_all(context);
        context.query(Nanos(0));
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let estimate = self.estimate(context);
        // Three draws always, whatever the book looks like.
        let buy_if_no_touch = self.placements.coin();
        let aggressive = self.placements.unit() < self.settings.aggressive_share;
        let depth = self.placements.bits();
        let (side, price) = match snapshot.touch() {
            Some((bid, ask)) => {
                let range = u64::from(self.settings.depth_spreads) * (ask - bid).unsigned_abs();
                let offset = if aggressive { 0 } else { ((u128::from(depth) * u128::from(range)) >> 64) as i64 };
                if estimate < (bid + ask) / 2 { (Side::Sell, bid + offset) } else { (Side::Buy, ask - offset) }
            }
            None => (if buy_if_no_touch { Side::Buy } else { Side::Sell }, estimate),
        };
        let quantity = self.sizes.draw(context.order_sizes());
        self.live.limit(context, side, price, quantity);
    }

    fn update(&mut self, update: &OrderUpdate) {
        self.live.update(update);
    }
}

#[cfg(test)]
mod tests;
