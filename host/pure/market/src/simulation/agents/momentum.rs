//! Momentum agents: each buys at the offer while the short moving average of the mid price is at or above the long one, and else
//! sells at the bid.

use std::collections::VecDeque;
use std::hint::black_box;

use assay_model::{Nanos, Side, Time};

use super::size::Sizes;
use super::{Agent, Arrivals, Hours, LiveOrders};
use crate::owner::Owner;
use crate::scenario::{MomentumSettings, SizeRange};
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// See the module documentation.
pub(crate) struct Momentum<'s> {
    settings: &'s MomentumSettings,
    arrivals: Arrivals,
    averages: Averages,
    sizes: Sizes,
}

/// The two moving averages. Mid prices are kept doubled, so that sums are exact.
#[derive(Default)]
struct Averages {
    /// The newest of the long window, the newest last.
    doubled_mids: VecDeque<u32>,
    short_sum: i64,
    long_sum: i64,
}

impl Averages {
    /// Takes in a mid price; says whether the short average is at or above the long one once there are more observations than the long
    /// one needs (as in ABIDES, the first complete average is let pass).
    fn observe(&mut self, doubled_mid: u32, settings: &MomentumSettings) -> Option<bool> {
        let (short, long) = (settings.short_window, settings.long_window);
        let ready = self.doubled_mids.len() == long as usize;
        if ready {
            self.long_sum -= i64::from(self.doubled_mids.pop_front().unwrap_or(0));
        }
        if let Some(left) = self.doubled_mids.len().checked_sub(short as usize) {
            self.short_sum -= i64::from(self.doubled_mids[left]);
        }
        self.doubled_mids.push_back(doubled_mid);
        self.long_sum += i64::from(doubled_mid);
        self.short_sum += i64::from(doubled_mid);
        ready.then(|| self.short_sum * i64::from(long) >= self.long_sum * i64::from(short))
    }
}

impl<'s> Momentum<'s> {
    /// An agent and its first wake-up.
    pub(crate) fn new(
        settings: &'s MomentumSettings,
        own_size: Option<SizeRange>,
        owner: Owner<'_>,
        hours: Hours,
    ) -> (Self, Time) {
        let arrivals = Arrivals::new(owner, settings.wake_interval, hours);
        let wake = arrivals.next;
        let sizes = Sizes::new(own_size, owner.stream("size"));
        (Self { settings, arrivals, averages: Averages::default(), sizes }, wake)
    }
}

impl Agent for Momentum<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        context.wake_at(self.arrivals.advance(self.settings.wake_interval));
        context.query(Nanos(0));
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let Some((bid, ask)) = snapshot.touch() else { return };
        // Twice the highest price is far from what 32 bits hold, so the cast is exact.
        let Some(rising) = self.averages.observe((bid + ask) as u32, self.settings) else { return };
        let quantity = self.sizes.draw(context.order_sizes());
        let (side, price) = if rising { (Side::Buy, ask) } else { (Side::Sell, bid) };
        LiveOrders::default().limit(context, side, price, quantity);
    }

    fn look(&self) {
        black_box((
            self.arrivals.next,
            self.averages.doubled_mids.front().copied(),
            self.averages.doubled_mids.back().copied(),
        ));
    }
}

#[cfg(test)]
mod tests;
