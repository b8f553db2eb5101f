//! Execution agents: each works one large order as a share of the volume that everyone trades (participation of volume).
//!
//! At each wake-up it asks for the volume of the last interval and sends a market order for its share of that, until its quantity is done. Its own
//! trades count as volume, as in ABIDES. Invariants: one order at a time; it never trades more than its quantity.

use assay_model::{OrderUpdate, QUANTITY_MAX, RequestKind, Time, UpdateKind};

use super::Agent;
use crate::scenario::{ExecutionPlan, ExecutionSettings};
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// See the module documentation.
pub(crate) struct Execution<'s> {
    settings: &'s ExecutionSettings,
    /// What the seed has decided; none if the agent does nothing.
    plan: Option<ExecutionPlan>,
    next: Time,
    /// Shares not traded yet.
    left: u64,
    /// An order has not ended yet.
    working: bool,
}

impl<'s> Execution<'s> {
    /// An agent and its first wake-up; never, without a plan.
    pub(crate) fn new(settings: &'s ExecutionSettings, plan: Option<ExecutionPlan>) -> (Self, Time) {
        let next = plan.map_or(Time(u64::MAX), |plan| plan.from);
        (Self { settings, plan, next, left: plan.map_or(0, |plan| plan.quantity), working: false }, next)
    }
}

impl Agent for Execution<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        let Some(plan) = self.plan.filter(|_| self.left > 0) else { return };
        self.next = self.next + self.settings.interval;
        if self.next < plan.until {
            context.wake_at(self.next);
        }
        context.query(self.settings.interval);
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let traded = (snapshot.bought + snapshot.sold) as f64;
        let share = (self.settings.participation * traded).round_ties_even() as u64;
        let quantity = share.min(self.left).min(QUANTITY_MAX);
        if let Some(plan) = self.plan.filter(|_| quantity > 0 && !self.working) {
            self.working = true;
            context.submit(RequestKind::Market { side: plan.side, quantity });
        }
    }

    fn update(&mut self, _: &mut Context<'_, '_>, update: &OrderUpdate) {
        match update.kind {
            UpdateKind::Fill { quantity, .. } => {
                self.left -= u64::from(quantity);
                self.working = update.remaining > 0;
            }
            UpdateKind::Cancelled { .. } | UpdateKind::Rejected { .. } => self.working = false,
            _ => {}
        }
    }
}
