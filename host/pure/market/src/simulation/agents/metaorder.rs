//! Metaorder agents: each splits large orders into market orders of the same side and works one after the other.
//!
//! How many pieces an order has is a draw from a power law, so the side of takers stays predictable for long (Lillo, Mike & Farmer 2005: with the
//! exponent α, the autocorrelation of sides falls as lag to the power of 1 − α). Some owners may know the fundamental value: theirs trade towards it, as
//! those of Kyle (1985) do, so that the flow of orders is news.

use assay_model::{Nanos, RequestKind, Side, Stream, Time};

use super::flow::Flow;
use super::size::Sizes;
use super::{Agent, Hours};
use crate::owner::Owner;
use crate::scenario::{MetaorderSettings, SizeRange};
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// What the owner of an order knows.
#[derive(Clone, Copy, PartialEq)]
enum Knowledge {
    /// Nothing: the side is a coin's.
    Nothing,
    /// The value, but has not seen the price yet.
    Value,
    /// The value, and trades on the side of it.
    Mispricing,
}

/// See the module documentation.
pub(crate) struct Metaorder<'s> {
    settings: &'s MetaorderSettings,
    flow: Flow,
    orders: Stream,
    sizes: Sizes,
    /// Whose owner knows the value; drawn only where some do.
    information: Stream,
    /// What the owner of the present order knows.
    owner: Knowledge,
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
        let (orders, information) = (owner.stream("metaorder"), owner.stream("information"));
        (Self { settings, flow, orders, sizes, information, owner: Knowledge::Nothing, side: Side::Buy, left: 0 }, wake)
    }

    /// Draws the next order.
    fn begin(&mut self) {
        self.side = if self.orders.coin() { Side::Buy } else { Side::Sell };
        // The inverse of the Pareto distribution from one on; the cast saturates.
        let pieces = libm::pow(1.0 - self.orders.unit(), -1.0 / self.settings.tail_exponent) as u32;
        self.left = pieces.clamp(1, self.settings.most_pieces);
        let knows = self.settings.informed > 0.0 && self.information.unit() < self.settings.informed;
        self.owner = if knows { Knowledge::Value } else { Knowledge::Nothing };
    }

    /// Sends a piece.
    fn work(&mut self, context: &mut Context<'_, '_>) {
        self.left -= 1;
        let quantity = u64::from(self.sizes.draw(context.order_sizes()));
        if quantity > 0 {
            context.submit(RequestKind::Market { side: self.side, quantity });
        }
    }
}

impl Agent for Metaorder<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        context.wake_at(self.flow.advance());
        if self.left == 0 {
            self.begin();
        }
        if self.owner == Knowledge::Nothing {
            self.work(context);
        } else {
            context.query(Nanos(0));
        }
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let Some((bid, ask)) = snapshot.touch() else { return };
        let mispriced = context.fundamental() - f64::midpoint(bid as f64, ask as f64);
        if self.owner == Knowledge::Value {
            // At a price that is right, or nearly, the coin's side stands: who knows the value may have to trade all the same.
            self.owner = Knowledge::Nothing;
            if mispriced.abs() > self.settings.edge {
                self.owner = Knowledge::Mispricing;
                self.side = if mispriced > 0.0 { Side::Buy } else { Side::Sell };
            }
        } else if mispriced * self.side.sign() as f64 <= 0.0 {
            // The price has reached the value: the rest is not worth its cost.
            self.left = 0;
        }
        // The next wake-up may have come before the answer, and have ended the order.
        if self.left > 0 {
            self.work(context);
        }
    }
}
