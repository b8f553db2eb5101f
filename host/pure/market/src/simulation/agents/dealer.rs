//! Dealers: market makers who learn from the flow of orders, and whose quotes leave nothing for nothing.
//!
//! Each keeps an estimate of the value. What takers have bought, less what they have sold, moves it in proportion (Kyle 1985; Madhavan, Richardson &
//! Roomans 1997): only an impact that is linear and the same for both sides leaves no round trip that pays (Huberman & Stanzl 2004). Part of the move
//! fades, because takers' sides are predictable and what was expected is not news (Bouchaud et al. 2004). The ladder of quotes stands around the estimate,
//! moved against the dealer's inventory (Ho & Stoll 1981), so that the best price is that of whoever wants the trade most, and wider the more
//! the estimate has moved of late (Glosten & Milgrom 1985). Levels stand at least as far out as a large order is answered: taking all that dealers show up
//! to a level costs no less, on average, than half of the move that it causes (after Glosten 1994). Otherwise whoever takes everything with one order, and
//! gives it back with another one a moment later, is paid for the move. A dealer looks when an order of its own has traded, when there is news, and now and
//! then.
//!
//! Invariants: a dealer sees flow and public news only, never the value, but for where it began; its orders never take, but for quotes
//! that news has made wrong (Budish, Cramton & Shim 2015). It quotes anew only when a price of its ladder changes, an order of it has traded, or there is news: a
//! quiet market stays quiet.

use assay_model::{Nanos, OrderUpdate, PostOnly, RequestId, RequestKind, Side, Terms, Time, UpdateKind};

use super::{Agent, Arrivals, Hours, LiveOrders, News};
use crate::owner::Owner;
use crate::scenario::DealerSettings;
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// Exponentials whose sum stands for the fading of an impact.
const TIMES: usize = 3;

/// See the module documentation.
pub(crate) struct Dealer<'s> {
    settings: &'s DealerSettings,
    /// How far beyond the best price each level stands, in cents.
    steps: Vec<i64>,
    arrivals: Arrivals,
    live: LiveOrders,
    /// The value as the dealer sees it without the part that fades, in cents. At the open that is what everybody knows: where the price stood the evening
    /// before.
    lasting: f64,
    /// The part that fades, by how fast.
    fading: [f64; TIMES],
    times: [f64; TIMES],
    reader: News,
    /// The news that the estimate contains, in cents.
    news: f64,
    /// How far flow has moved the estimate of late, whichever way, in cents.
    alarm: f64,
    /// Shares held.
    inventory: i64,
    /// When it last asked for the market.
    asked: Time,
    /// The answer is still to come.
    waits: bool,
    /// Until when the estimate has been brought up to date.
    updated: Time,
    /// The last two ladders, the newest first.
    ladders: [Ladder; 2],
    /// One of its orders has traded since it last quoted.
    traded: bool,
    /// There has been news since it last quoted.
    repriced: bool,
}

/// The best prices of a ladder, and the number of its first order: bids first, then offers.
#[derive(Clone, Copy, Default, PartialEq)]
struct Ladder {
    bid: i64,
    ask: i64,
    first: RequestId,
}

impl<'s> Dealer<'s> {
    /// One of `count` agents, and its first wake-up.
    pub(crate) fn new(
        settings: &'s DealerSettings,
        count: u32,
        level: f64,
        owner: Owner<'_>,
        hours: Hours,
    ) -> (Self, Time) {
        let arrivals = Arrivals::new(owner, settings.wake_interval, hours);
        let wake = arrivals.next;
        let (shortest, longest) = (seconds(settings.fading_shortest), seconds(settings.fading_longest));
        let agent = Self {
            settings,
            steps: steps(settings, count),
            arrivals,
            live: LiveOrders::default(),
            lasting: level,
            fading: [0.0; TIMES],
            times: std::array::from_fn(|k| shortest * libm::pow(longest / shortest, k as f64 / (TIMES - 1) as f64)),
            reader: News::default(),
            news: 0.0,
            alarm: 0.0,
            inventory: 0,
            asked: hours.open,
            waits: false,
            updated: hours.open,
            ladders: [Ladder::default(); 2],
            traded: false,
            repriced: false,
        };
        (agent, wake)
    }

    /// Asks for the market, unless the answer to the last question is still to come.
    fn ask(&mut self, context: &mut Context<'_, '_>) {
        if self.waits {
            return;
        }
        // From just after the last question on, so that no trade counts twice.
        let window = Nanos(context.now().since(self.asked).0.saturating_sub(1));
        (self.asked, self.waits) = (context.now(), true);
        context.query(window);
    }

    /// Notes the net shares that takers have bought since the last look.
    fn learn(&mut self, now: Time, net: f64) {
        let settings = self.settings;
        let elapsed = seconds(now.since(self.updated));
        self.updated = now;
        let moved = settings.impact * net;
        for (part, time) in self.fading.iter_mut().zip(self.times) {
            *part = *part * libm::exp(-elapsed / time) + moved * settings.fading_share / TIMES as f64;
        }
        self.lasting += moved * (1.0 - settings.fading_share);
        self.alarm = self.alarm * libm::exp(-elapsed / seconds(settings.widening_memory)) + moved.abs();
    }

    /// Sends the ladder for the present estimate, unless it stands already.
    fn quote(&mut self, context: &mut Context<'_, '_>) {
        let settings = self.settings;
        let middle = self.lasting + self.fading.iter().sum::<f64>() - settings.inventory_skew * self.inventory as f64;
        let half_spread = settings.half_spread + settings.widening * self.alarm;
        // The casts saturate; what is not a price is refused by the exchange.
        let (bid, ask) = ((middle - half_spread).floor() as i64, (middle + half_spread).ceil() as i64);
        let last = self.ladders[0];
        let is_news = std::mem::take(&mut self.repriced);
        let has_traded = std::mem::take(&mut self.traded);
        if self.live.0 > 0 && !has_traded && !is_news && (bid, ask) == (last.bid, last.ask) {
            return;
        }
        self.live.cancel_all(context);
        let mut first = None;
        for (side, best) in [(Side::Buy, bid), (Side::Sell, ask)] {
            for (level, step) in (0..).zip(&self.steps) {
                let price = best - side.sign() * step;
                let terms = Terms::limit(side, price, u64::from(size(settings, level)));
                // Who still quotes the old price after news is traded with: otherwise a share left there would hold back the whole ladder.
                let terms = if is_news { terms } else { terms.post_only(PostOnly::Slide) };
                let id = context.submit(RequestKind::Order(terms));
                first = first.or(Some(id));
                self.live.0 += 1;
            }
        }
        self.ladders = [Ladder { bid, ask, first: first.unwrap_or_default() }, last];
    }

    /// The side of an order of one of the last two ladders; older ones were cancelled long ago.
    fn side(&self, order: RequestId) -> Side {
        let ladder = if order >= self.ladders[0].first { self.ladders[0] } else { self.ladders[1] };
        let place = order.0.saturating_sub(ladder.first.0);
        if place < u64::from(self.settings.levels) { Side::Buy } else { Side::Sell }
    }
}

/// Shares at a level, from 0 at the best price.
fn size(settings: &DealerSettings, level: u32) -> u32 {
    let outermost = level + 1 == settings.levels && settings.backstop_size > 0;
    if outermost { settings.backstop_size } else { settings.level_size }
}

/// How far beyond the best price each level stands: as the scenario says, and never nearer to the estimate than the impact of half of the level's shares and
/// of all before it. Every dealer of the group shows the same ladder, and all answer.
fn steps(settings: &DealerSettings, count: u32) -> Vec<i64> {
    let mut before = 0.0;
    let step = |level| {
        let shares = f64::from(count) * f64::from(size(settings, level));
        let least = settings.impact * (before + shares / 2.0) - settings.half_spread;
        before += shares;
        let usual = i64::from(level) * i64::from(settings.level_step);
        // The best price stands where the scenario says. The cast saturates; what is not a price is refused by the exchange.
        if level == 0 { 0 } else { usual.max(least.ceil() as i64) }
    };
    (0..settings.levels).map(step).collect()
}

fn seconds(nanos: Nanos) -> f64 {
    nanos.0 as f64 * 1e-9
}

impl Agent for Dealer<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        if self.settings.news_share > 0.0 && self.reader.is_out(context) {
            // Gone before anybody else's new quotes come.
            self.live.cancel_all(context);
            self.repriced = true;
            return self.ask(context);
        }
        context.wake_at(self.arrivals.advance(self.settings.wake_interval));
        // An answer that has not come by now was lost.
        self.waits = false;
        self.ask(context);
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        let now = context.now();
        self.waits = false;
        self.learn(now, snapshot.bought as f64 - snapshot.sold as f64);
        if self.settings.news_share > 0.0 {
            let news = context.news();
            self.lasting += self.settings.news_share * (news - self.news);
            self.news = news;
        }
        self.quote(context);
    }

    fn update(&mut self, context: &mut Context<'_, '_>, update: &OrderUpdate) {
        if let UpdateKind::Fill { quantity, .. } = update.kind {
            self.inventory += self.side(update.order).sign() * i64::from(quantity);
            self.traded = true;
            self.ask(context);
        }
        self.live.update(update);
    }
}
