//! Order-flow agents: each stands for a crowd whose orders excite one another, as a Hawkes process does.
//!
//! An order is a market order or a limit order on either side with equal chance. Limit orders lie at an exponential distance behind the best price that
//! does not trade, or behind the best of their side; the oldest is cancelled when more rest than the crowd keeps. Invariant: when, which side, which kind, how
//! far and how large are draws of its own; only the touch comes from the market.

use std::collections::VecDeque;

use assay_model::{Nanos, OrderId, OrderUpdate, Qualifiers, RequestKind, Side, Stream, Time, UpdateKind};

use super::flow::Flow;
use super::size::Sizes;
use super::{Agent, Hours, News};
use crate::owner::Owner;
use crate::scenario::{HawkesSettings, SizeRange};
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// See the module documentation.
pub(crate) struct Hawkes<'s> {
    settings: &'s HawkesSettings,
    flow: Flow,
    orders: Stream,
    sizes: Sizes,
    /// Limit orders that have not ended, as far as it has heard, the oldest first.
    resting: VecDeque<OrderId>,
    reader: News,
}

impl<'s> Hawkes<'s> {
    /// An agent and its first wake-up.
    pub(crate) fn new(
        settings: &'s HawkesSettings,
        own_size: Option<SizeRange>,
        owner: Owner<'_>,
        hours: Hours,
    ) -> (Self, Time) {
        let (flow, wake) = Flow::new(&settings.flow, owner, hours);
        let sizes = Sizes::new(own_size, owner.stream("size"));
        (
            Self {
                settings,
                flow,
                orders: owner.stream("order"),
                sizes,
                resting: VecDeque::new(),
                reader: News::default(),
            },
            wake,
        )
    }
}

impl Agent for Hawkes<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        if self.settings.cancels_at_news && self.reader.is_out(context) {
            if !self.resting.is_empty() {
                context.submit(RequestKind::CancelAll);
            }
            return;
        }
        context.wake_at(self.flow.advance());
        context.query(Nanos(0));
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        // Four draws always, whatever the book looks like.
        let side = if self.orders.coin() { Side::Buy } else { Side::Sell };
        let takes = self.orders.unit() < self.settings.taker_share;
        let distance = self.orders.exponential(self.settings.depth) as i64;
        let quantity = u64::from(self.sizes.draw(context.order_sizes()));
        if quantity == 0 {
            return;
        }
        if takes {
            context.submit(RequestKind::Market { side, quantity });
            return;
        }
        let price = match (side, snapshot.bid, snapshot.ask) {
            (Side::Buy, Some(bid), _) if !self.settings.improves => bid.cents() - distance,
            (Side::Sell, _, Some(ask)) if !self.settings.improves => ask.cents() + distance,
            (Side::Buy, _, Some(ask)) => ask.cents() - 1 - distance,
            (Side::Sell, Some(bid), _) => bid.cents() + 1 + distance,
            // Nobody is there on the other side: it joins its own, if that has a price.
            (Side::Buy, Some(bid), None) => bid.cents() - distance,
            (Side::Sell, None, Some(ask)) => ask.cents() + distance,
            (_, None, None) => return,
        };
        if self.resting.len() >= self.settings.resting_orders as usize
            && let Some(order) = self.resting.pop_front()
        {
            context.submit(RequestKind::Cancel { order });
        }
        let order = RequestKind::Limit { side, price, quantity, qualifiers: Qualifiers::default() };
        self.resting.push_back(context.submit(order));
    }

    fn update(&mut self, _: &mut Context<'_, '_>, update: &OrderUpdate) {
        let ended = match update.kind {
            UpdateKind::Fill { .. } => update.remaining == 0,
            UpdateKind::Cancelled { .. } | UpdateKind::Rejected { .. } => true,
            _ => false,
        };
        if ended {
            self.resting.retain(|order| *order != update.order);
        }
    }
}
