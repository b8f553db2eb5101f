//! Noise agents: each wakes once and trades at the far touch, either way.

use assay_model::{Nanos, Side, Time};

use super::size::Sizes;
use super::{Agent, Hours, LiveOrders};
use crate::owner::Owner;
use crate::scenario::NoiseSettings;
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// See the module documentation. It acts once, so it draws nothing before it acts, and remembers nothing.
pub(crate) struct Noise;

/// Those who wake before the open act within this many nanoseconds of it, as in ABIDES.
const OPENING_NANOSECONDS: u64 = 100;

impl Noise {
    /// An agent and its wake-up.
    pub(crate) fn new(settings: &NoiseSettings, owner: Owner<'_>, hours: Hours) -> (Self, Time) {
        let mut stream = owner.stream("wake");
        let span = settings.active_until.since(settings.active_from).0 as f64;
        // The inverse of the U-quadratic distribution on [0, 1].
        let share = 0.5 + 0.5 * libm::cbrt(2.0 * stream.unit() - 1.0);
        let wake = settings.active_from + Nanos((share * span) as u64);
        (Self, wake.max(hours.open + Nanos(stream.below(OPENING_NANOSECONDS))))
    }
}

impl Agent for Noise {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        context.query(Nanos(0));
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let (side, touch) =
            if context.stream("side").coin() { (Side::Buy, snapshot.ask) } else { (Side::Sell, snapshot.bid) };
        let Some(touch) = touch else { return };
        let quantity = Sizes::new(context.own_size(), context.stream("size")).draw(context.order_sizes());
        LiveOrders::default().limit(context, side, touch.cents(), quantity);
    }
}
