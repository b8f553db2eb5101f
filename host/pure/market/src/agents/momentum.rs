//! Momentum agents: each buys at the offer while the short moving average of the mid price is at or above the long one, and else
//! sells at the bid.

use std::collections::VecDeque;

use assay_model::{Nanos, Side, Time};

use super::size::Sizes;
use super::{Agent, Arrivals, Hours, LiveOrders};
use crate::scenario::{MomentumSettings, SizeRange};
use crate::simulation::{Context, MarketSnapshot, Owner};

/// See the module documentation.
pub(crate) struct Momentum {
    arrivals: Arrivals,
    averages: Averages,
    sizes: Sizes,
}

/// The two moving averages. Mid prices are kept doubled, so that sums are exact.
struct Averages {
    short: usize,
    long: usize,
    /// The newest `long` doubled mid prices, the newest last.
    doubled_mids: VecDeque<i64>,
    short_sum: i64,
    long_sum: i64,
}

impl Averages {
    fn new(settings: &MomentumSettings) -> Self {
        let (short, long) = (settings.short_window as usize, settings.long_window as usize);
        Self { short, long, doubled_mids: VecDeque::new(), short_sum: 0, long_sum: 0 }
    }

    /// Takes in a mid price; says whether the short average is at or above the long one once there are more observations than the long
    /// one needs (as in ABIDES, the first complete average is let pass).
    fn observe(&mut self, doubled_mid: i64) -> Option<bool> {
        let ready = self.doubled_mids.len() == self.long;
        if ready {
            self.long_sum -= self.doubled_mids.pop_front().unwrap_or(0);
        }
        if let Some(left) = self.doubled_mids.len().checked_sub(self.short) {
            self.short_sum -= self.doubled_mids[left];
        }
        self.doubled_mids.push_back(doubled_mid);
        self.long_sum += doubled_mid;
        self.short_sum += doubled_mid;
        ready.then(|| self.short_sum * self.long as i64 >= self.long_sum * self.short as i64)
    }
}

impl Momentum {
    /// An agent and its first wake-up.
    pub(crate) fn new(
        settings: &MomentumSettings,
        own_size: Option<SizeRange>,
        owner: Owner<'_>,
        hours: Hours,
    ) -> (Self, Time) {
        let arrivals = Arrivals::new(owner, settings.wake_interval, hours);
        let wake = arrivals.next;
        (Self { arrivals, averages: Averages::new(settings), sizes: Sizes::new(own_size, owner.stream("size")) }, wake)
    }
}

impl Agent for Momentum {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        context.wake_at(self.arrivals.advance());
        context.query(Nanos(0));
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let Some((bid, ask)) = snapshot.touch() else { return };
        let Some(rising) = self.averages.observe(bid + ask) else { return };
        let quantity = self.sizes.draw(context.order_sizes());
        let (side, price) = if rising { (Side::Buy, ask) } else { (Side::Sell, bid) };
        LiveOrders::default().limit(context, side, price, quantity);
    }
}

#[cfg(test)]
mod tests;
