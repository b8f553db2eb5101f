//! Spoofing agents: each shows a large order that it does not mean to trade, to sell or buy a little at a better price.
//!
//! It rests its own order at the touch and a large one some way behind the touch of the other side. When the touch comes close to the large order, or
//! its own has traded, it cancels all and begins anew on the other side. Here because strategies must live with it: it is forbidden in real markets.

use assay_model::{Nanos, OrderUpdate, Side, Time, UpdateKind};

use super::size::Sizes;
use super::{Agent, Arrivals, Hours, LiveOrders};
use crate::owner::Owner;
use crate::scenario::{SizeRange, SpooferSettings};
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// See the module documentation.
pub(crate) struct Spoofer<'s> {
    settings: &'s SpooferSettings,
    arrivals: Arrivals,
    sizes: Sizes,
    live: LiveOrders,
    /// The side of the large order.
    side: Side,
    /// Price of the large order, while there is one.
    shown: Option<i64>,
    /// Something has traded since it was shown.
    traded: bool,
}

impl<'s> Spoofer<'s> {
    /// An agent and its first wake-up.
    pub(crate) fn new(
        settings: &'s SpooferSettings,
        own_size: Option<SizeRange>,
        owner: Owner<'_>,
        hours: Hours,
    ) -> (Self, Time) {
        let arrivals = Arrivals::new(owner, settings.wake_interval, hours);
        let wake = arrivals.next;
        let side = if owner.stream("side").coin() { Side::Buy } else { Side::Sell };
        let sizes = Sizes::new(own_size, owner.stream("size"));
        let live = LiveOrders::default();
        (Self { settings, arrivals, sizes, live, side, shown: None, traded: false }, wake)
    }

    fn show(&mut self, context: &mut Context<'_, '_>, bid: i64, ask: i64) {
        let own_size = self.sizes.draw(context.order_sizes());
        let (shown, own_side, own_price) = match self.side {
            Side::Buy => (bid - self.settings.distance, Side::Sell, ask),
            Side::Sell => (ask + self.settings.distance, Side::Buy, bid),
        };
        self.live.limit(context, self.side, shown, self.settings.shown_size);
        self.live.limit(context, own_side, own_price, own_size);
        self.shown = Some(shown);
        self.traded = false;
    }
}

impl Agent for Spoofer<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        context.wake_at(self.arrivals.advance(self.settings.wake_interval));
        context.query(Nanos(0));
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let Some((bid, ask)) = snapshot.touch() else { return };
        let Some(shown) = self.shown else { return self.show(context, bid, ask) };
        let room = if self.side == Side::Buy { bid - shown } else { shown - ask };
        if self.traded || room <= self.settings.retreat {
            self.live.cancel_all(context);
            self.shown = None;
            self.side = self.side.opposite();
        }
    }

    fn update(&mut self, _: &mut Context<'_, '_>, update: &OrderUpdate) {
        self.traded |= matches!(update.kind, UpdateKind::Fill { .. });
        self.live.update(update);
    }
}
