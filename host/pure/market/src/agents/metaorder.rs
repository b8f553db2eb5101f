//! Metaorder agents: each splits large orders into market orders of the same side and works one after the other.
//!
//! How many pieces an order has is a draw from a power law, so the side of takers stays predictable for long (Lillo, Mike & Farmer 2005: with the
//! exponent α, the autocorrelation of sides falls as lag to the power of 1 − α).

use assay_model::{RequestKind, Side, Stream, Time};

use super::flow::Flow;
use super::size::Sizes;
use super::{Agent, Hours};
use crate::scenario::{MetaorderSettings, SizeRange};
use crate::simulation::{Context, MarketSnapshot, Owner};

/// See the module documentation.
pub(crate) struct Metaorder<'s> {
    settings: &'s MetaorderSettings,
    flow: Flow,
    orders: Stream,
    sizes: Sizes,
    side: Side,
    /// Pieces of the present order that are still to be sent.
    left: u32,
}

impl<'s> Metaorder<'s> {
    /// An agent and its first wake-up.
    pub(crate) fn new(
        settings: &'s MetaorderSettings,
        own_size: Option<SizeRange>,
        owner: Owner<'_>,
        hours: Hours,
    ) -> (Self, Time) {
        let (flow, wake) = Flow::new(&settings.flow, owner, hours);
        let sizes = Sizes::new(own_size, owner.stream("size"));
        (Self { settings, flow, orders: owner.stream("metaorder"), sizes, side: Side::Buy, left: 0 }, wake)
    }

    /// Draws the next order.
    fn begin(&mut self) {
        self.side = if self.orders.coin() { Side::Buy } else { Side::Sell };
        // The inverse of the Pareto distribution from one on; the cast saturates.
        let pieces = libm::pow(1.0 - self.orders.unit(), -1.0 / self.settings.tail_exponent) as u32;
        self.left = pieces.clamp(1, self.settings.most_pieces);
    }
}

impl Agent for Metaorder<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        context.wake_at(self.flow.advance());
        if self.left == 0 {
            self.begin();
        }
        self.left -= 1;
        let quantity = u64::from(self.sizes.draw(context.order_sizes()));
        if quantity > 0 {
            context.submit(RequestKind::Market { side: self.side, quantity });
        }
    }

    fn snapshot(&mut self, _: &mut Context<'_, '_>, _: &MarketSnapshot) {}
}
