//! Adaptive market makers: each quotes a ladder on both sides, as wide as the spread has been and as large as trading has been
//! (Chakraborty & Kearns 2011, as ABIDES adapts it).
//!
//! At a wake-up it cancels everything and asks for the market; at the answer it quotes anew. When the book becomes one-sided it adds a
//! ladder around the last mid price it saw.

use assay_model::{OrderUpdate, Side, Time};

use super::{Agent, Arrivals, Hours, LiveOrders};
use crate::owner::Owner;
use crate::scenario::MarketMakerSettings;
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// See the module documentation.
pub(crate) struct MarketMaker<'s> {
    settings: &'s MarketMakerSettings,
    arrivals: Arrivals,
    live: LiveOrders,
    /// Moving average of the spread, in cents.
    spread: f64,
    /// Middle of the last ladder before skew, in cents; none before the first two-sided market.
    mid: Option<i64>,
    /// Shift of the ladder by the side of recent trades, in cents.
    skew: f64,
    /// Shares at each level.
    size: u32,
}

impl<'s> MarketMaker<'s> {
    /// An agent and its first wake-up.
    pub(crate) fn new(settings: &'s MarketMakerSettings, owner: Owner<'_>, hours: Hours) -> (Self, Time) {
        let arrivals = Arrivals::new(owner, settings.wake_interval, hours);
        let wake = arrivals.next;
        let agent = Self {
            settings,
            arrivals,
            live: LiveOrders::default(),
            spread: settings.initial_spread,
            mid: None,
            skew: 0.0,
            size: settings.minimum_size,
        };
        (agent, wake)
    }

    /// Sends a ladder around the mid price last seen; nothing before there was one.
    fn quote(&mut self, context: &mut Context<'_, '_>) {
        let Some(mid) = self.mid else { return };
        // The cast cuts towards zero.
        let middle = (mid as f64 + self.skew) as i64;
        let half_spread = 0.5 * self.spread;
        let best_bid = middle - half_spread.floor() as i64;
        let best_ask = middle + half_spread.ceil() as i64;
        let step = ((self.settings.level_spacing * self.spread).round_ties_even() as i64).max(1);
        // From the lowest price to the highest.
        let levels = i64::from(self.settings.levels);
        let backstop = if self.settings.backstop_size == 0 { self.size } else { self.settings.backstop_size };
        let size = |level| if level == levels - 1 { backstop } else { self.size };
        for level in (0..levels).rev() {
            self.live.limit(context, Side::Buy, best_bid - level * step, size(level));
        }
        for level in 0..levels {
            self.live.limit(context, Side::Sell, best_ask + level * step, size(level));
        }
    }
}

impl Agent for MarketMaker<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        context.wake_at(self.arrivals.advance(self.settings.wake_interval));
        self.live.cancel_all(context);
        context.delay(self.settings.cancel_delay);
        context.query(self.settings.volume_window);
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let (bought, traded) = (snapshot.bought as f64, (snapshot.bought + snapshot.sold) as f64);
        let size = (self.settings.participation * traded).round_ties_even() as u32;
        self.size = size.max(self.settings.minimum_size);
        self.skew = if traded == 0.0 { 0.0 } else { self.settings.trade_skew * (2.0 * bought / traded - 1.0) };
        if let Some((bid, ask)) = snapshot.touch() {
            let newest = self.settings.spread_smoothing;
            self.spread = newest * (ask - bid) as f64 + (1.0 - newest) * self.spread;
            self.mid = Some((bid + ask) / 2);
        }
        self.quote(context);
    }

    fn update(&mut self, _: &mut Context<'_, '_>, update: &OrderUpdate) {
        self.live.update(update);
    }

    fn imbalance(&mut self, context: &mut Context<'_, '_>) {
        self.quote(context);
    }

    fn imbalance_threshold(&self) -> Option<f64> {
        Some(self.settings.imbalance_threshold)
    }
}
