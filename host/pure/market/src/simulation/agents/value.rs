//! Value agents: each estimates the fundamental value at the close and trades towards it.
//!
//! The estimate is Bayesian: a normal belief about the value is moved forward in time by the mean reversion that the agent believes
//! in, widened by the shocks it expects, and combined with a noisy observation.

use assay_model::{Nanos, OrderUpdate, Side, Stream, Time};
use std::hint::black_box;
use std::rc::Rc;

use super::size::OwnSize;
use super::{Agent, Arrivals, Hours, LiveOrders};
use crate::owner::Owner;
use crate::scenario::{SizeRange, ValueSettings};
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// See the module documentation. Two cache lines: in a large market each wake-up has to fetch them from afar.
#[repr(align(64))]
pub(crate) struct Value<'s> {
    group: Rc<ValueGroup<'s>>,
    belief: Belief,
    arrivals: Arrivals,
    observations: Stream,
    placements: Stream,
    sizes: Stream,
    own_size: OwnSize,
    live: LiveOrders,
}

const _: () = assert!(size_of::<Value<'_>>() == 128);

/// What all agents of a group have in common.
pub(crate) struct ValueGroup<'s> {
    settings: &'s ValueSettings,
    model: Model,
    close: Time,
}

impl<'s> ValueGroup<'s> {
    /// A group that believes in this long-run mean, in cents.
    pub(crate) fn new(settings: &'s ValueSettings, long_run_mean: f64, close: Time) -> Rc<Self> {
        Rc::new(Self { settings, model: Model::new(settings, long_run_mean), close })
    }
}

/// How an agent believes that the fundamental value moves.
#[derive(Clone, Copy, Debug)]
struct Model {
    long_run_mean: f64,
    /// `ln(1 − κ)` for the mean reversion κ of one nanosecond.
    log_decay: f64,
    shock_variance_per_nanosecond: f64,
    observation_variance: f64,
}

impl Model {
    fn new(settings: &ValueSettings, long_run_mean: f64) -> Self {
        Self {
            long_run_mean,
            log_decay: libm::log1p(-settings.mean_reversion_per_second * 1e-9),
            shock_variance_per_nanosecond: settings.shock_variance_per_nanosecond,
            observation_variance: settings.observation_variance,
        }
    }
}

/// A normal belief about the fundamental value at a time.
#[derive(Clone, Copy, Debug)]
struct Belief {
    at: Time,
    mean: f64,
    variance: f64,
}

impl Belief {
    /// Certain of the long-run mean.
    fn new(model: &Model, at: Time) -> Self {
        Self { at, mean: model.long_run_mean, variance: 0.0 }
    }

    /// What the belief's mean becomes after `elapsed`.
    fn mean_after(&self, elapsed: Nanos, model: &Model) -> f64 {
        // 1 − κ is so close to one that the power must not be formed: 1 − (1 − κ)^t would lose its digits.
        model.long_run_mean + (self.mean - model.long_run_mean) * libm::exp(model.log_decay * elapsed.0 as f64)
    }

    /// The variance after `elapsed`: what is left of it, and the shocks since, each of which has decayed since it happened.
    fn variance_after(&self, elapsed: Nanos, model: &Model) -> f64 {
        let (nanoseconds, log_decay) = (elapsed.0 as f64, model.log_decay);
        let effective = if log_decay == 0.0 {
            nanoseconds
        } else {
            libm::expm1(2.0 * log_decay * nanoseconds) / libm::expm1(2.0 * log_decay)
        };
        self.variance * libm::exp(2.0 * log_decay * nanoseconds) + model.shock_variance_per_nanosecond * effective
    }

    /// Takes in an observation at `now`. The posterior variance follows from the variance *at that time*, not from the one before.
    fn observe(&mut self, now: Time, observed: f64, model: &Model) {
        let elapsed = now.since(self.at);
        let (mean, variance) = (self.mean_after(elapsed, model), self.variance_after(elapsed, model));
        let noise = model.observation_variance;
        let total = noise + variance;
        // Certain of both: the observation says nothing that contradicts the belief.
        let weight = if total == 0.0 { 0.0 } else { variance / total };
        *self = Self { at: now, mean: mean + weight * (observed - mean), variance: noise * weight };
    }
}

impl<'s> Value<'s> {
    /// An agent and its first wake-up.
    pub(crate) fn new(
        group: &Rc<ValueGroup<'s>>,
        own_size: Option<SizeRange>,
        owner: Owner<'_>,
        hours: Hours,
    ) -> (Self, Time) {
        let arrivals = Arrivals::new(owner, group.settings.wake_interval, hours);
        let wake = arrivals.next;
        let mut sizes = owner.stream("size");
        let agent = Self {
            group: Rc::clone(group),
            belief: Belief::new(&group.model, hours.open),
            arrivals,
            observations: owner.stream("observe"),
            placements: owner.stream("place-order"),
            own_size: OwnSize::new(own_size, &mut sizes),
            sizes,
            live: LiveOrders::default(),
        };
        (agent, wake)
    }

    /// The fundamental value that the agent expects at the close, in cents.
    fn estimate(&mut self, context: &mut Context<'_, '_>) -> i64 {
        let ValueGroup { model, close, .. } = &*self.group;
        let noise = model.observation_variance.sqrt() * self.observations.normal();
        let observed = (context.fundamental() + noise).round_ties_even();
        let now = context.now();
        self.belief.observe(now, observed, model);
        self.belief.mean_after(close.since(now), model).round_ties_even() as i64
    }
}

impl Agent for Value<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        context.wake_at(self.arrivals.advance(self.group.settings.wake_interval));
        self.live.cancel_all(context);
        context.query(Nanos(0));
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let estimate = self.estimate(context);
        // Three draws always, whatever the book looks like.
        let buy_if_no_touch = self.placements.coin();
        let aggressive = self.placements.unit() < self.group.settings.aggressive_share;
        let depth = self.placements.bits();
        let (side, price) = match snapshot.touch() {
            Some((bid, ask)) => {
                let range = u64::from(self.group.settings.depth_spreads) * (ask - bid).unsigned_abs();
                let offset = if aggressive { 0 } else { ((u128::from(depth) * u128::from(range)) >> 64) as i64 };
                if estimate < (bid + ask) / 2 { (Side::Sell, bid + offset) } else { (Side::Buy, ask - offset) }
            }
            None => (if buy_if_no_touch { Side::Buy } else { Side::Sell }, estimate),
        };
        let quantity = self.own_size.draw(context.order_sizes(), &mut self.sizes);
        self.live.limit(context, side, price, quantity);
    }

    fn update(&mut self, _: &mut Context<'_, '_>, update: &OrderUpdate) {
        self.live.update(update);
    }

    fn look(&self) {
        // One field of each of its two cache lines.
        black_box((self.arrivals.next, self.live.0));
    }
}

#[cfg(test)]
mod tests;
