//! Informed agents: each knows the fundamental value and takes what is offered at a price that is wrong by more than its edge.
//!
//! Its order is limited to the touch it saw; what is left of it is cancelled at the next wake-up.

use assay_model::{Nanos, OrderUpdate, Price, Side, Time};

use super::flow::Flow;
use super::size::Sizes;
use super::{Agent, Hours, LiveOrders};
use crate::owner::Owner;
use crate::scenario::{InformedSettings, SizeRange};
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// See the module documentation.
pub(crate) struct Informed<'s> {
    settings: &'s InformedSettings,
    flow: Flow,
    sizes: Sizes,
    live: LiveOrders,
}

impl<'s> Informed<'s> {
    /// An agent and its first wake-up.
    pub(crate) fn new(
        settings: &'s InformedSettings,
        own_size: Option<SizeRange>,
        owner: Owner<'_>,
        hours: Hours,
    ) -> (Self, Time) {
        let (flow, wake) = Flow::new(&settings.flow, owner, hours);
        let sizes = Sizes::new(own_size, owner.stream("size"));
        (Self { settings, flow, sizes, live: LiveOrders::default() }, wake)
    }
}

impl Agent for Informed<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        context.wake_at(self.flow.advance());
        self.live.cancel_all(context);
        context.query(Nanos(0));
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let (value, edge) = (context.fundamental(), self.settings.edge);
        let quantity = self.sizes.draw(context.order_sizes());
        match (snapshot.bid.map(Price::cents), snapshot.ask.map(Price::cents)) {
            (_, Some(ask)) if value - ask as f64 > edge => self.live.limit(context, Side::Buy, ask, quantity),
            (Some(bid), _) if bid as f64 - value > edge => self.live.limit(context, Side::Sell, bid, quantity),
            _ => {}
        }
    }

    fn update(&mut self, _: &mut Context<'_, '_>, update: &OrderUpdate) {
        self.live.update(update);
    }
}
