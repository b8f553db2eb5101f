//! Dealers: market makers who learn from the flow of orders, and whose quotes leave nothing for nothing.
//!
//! Each keeps an estimate of the value. What takers have bought, less what they have sold, moves it in proportion (Kyle 1985; Madhavan, Richardson &
//! Roomans 1997): only an impact that is linear and the same for both sides leaves no round trip that pays (Huberman & Stanzl 2004). Part of the move
//! fades, because takers' sides are predictable and what was expected is not news (Bouchaud et al. 2004). The ladder of quotes stands around the estimate,
//! moved against the dealer's inventory (Ho & Stoll 1981), so that the best price is that of whoever wants the trade most, and wider the more
//! the estimate has moved of late (Glosten & Milgrom 1985). Levels stand at least as far out as a large order is answered: taking all that dealers show up
//! to a level costs no less, on average, than half of the move that it causes (after Glosten 1994). Otherwise whoever takes everything with one order, and
//! gives it back with another one a moment later, is paid for the move. The best price stands where the scenario says, so the scenario must not show more
//! shares there than are worth it.
//!
//! An auction has no takers to learn from, and what was collected trades at once. A dealer answers it with one schedule on each side: for each share that
//! it buys or sells there, the price moves as much as its estimate moves afterwards, by as much of the impact as remains on average of flow that came evenly
//! during the call. So nobody can buy in the auction what the dealers pay more for a moment later. What is collected and not yet traded teaches nothing: it
//! could be taken back.
//!
//! A dealer hears every trade, whoever traded, and looks again when what fades has moved a price of its ladder. Otherwise its quotes would be known to be wrong
//! in between, to whoever does the same sum on the tape.
//!
//! Invariants: a dealer sees flow and public news only, never the value, but for where it began; its orders never take, but for quotes
//! that news has made wrong (Budish, Cramton & Shim 2015). It moves only what stands at another price than it should, and sends anew what has ended: a
//! quiet market stays quiet.

use assay_model::{Nanos, OrderId, OrderUpdate, PostOnly, RequestKind, Side, Terms, Time, UpdateKind};

use super::{Agent, Arrivals, Hours, News};
use crate::owner::Owner;
use crate::scenario::DealerSettings;
use crate::simulation::context::Context;
use crate::simulation::market_data::MarketSnapshot;

/// Exponentials whose sum stands for the fading of an impact.
const TIMES: usize = 3;

/// The shortest time until a dealer looks at what has faded, if that moves a price: too short for anything to fade that pays for crossing the spread.
const LOOK_LEAST: Nanos = Nanos(500_000_000);
/// The waits that are tried, up to 64 seconds.
const WAITS: usize = 8;
/// How long orders were collected before an auction, as dealers assume.
const CALL: Nanos = Nanos(300_000_000_000);
/// Levels of the schedule for an auction, and the cents from one to the next: together more than any imbalance moves a price.
const CALL_LEVELS: u32 = 40;
const CALL_STEP: u32 = 3;
/// The most shares at a level of it: where trades move no price, a dealer would show any number.
const CALL_SHARES_MAX: f64 = 10_000.0;
/// In cents: less that is still to fade is not worth another look.
const FADES_LEAST: f64 = 0.05;

/// See the module documentation.
pub(crate) struct Dealer<'s> {
    settings: &'s DealerSettings,
    /// What it shows on each side while the market trades, and in a call.
    ladder: Vec<Level>,
    schedule: Vec<Level>,
    /// What remains of the parts that fade, and of the alarm, of flow that came evenly during a call.
    remains_of_call: [f64; TIMES + 1],
    /// Dealers of its group.
    count: u32,
    /// In a call: the net shares that it has bought in the auction.
    auction: Option<i64>,
    arrivals: Arrivals,
    /// The value as the dealer sees it without the part that fades, in cents. At the open that is what everybody knows: where the price stood the evening
    /// before.
    lasting: f64,
    /// The part that fades, by how fast.
    fading: [f64; TIMES],
    times: [f64; TIMES],
    /// The shares of the parts that fade, and of the alarm, that remain after each wait from [`LOOK_LEAST`] on.
    remains: [[f64; TIMES + 1]; WAITS],
    reader: News,
    /// The news that the estimate contains, in cents.
    news: f64,
    /// How far flow has moved the estimate of late, whichever way, in cents.
    alarm: f64,
    /// Shares held.
    inventory: i64,
    /// Until when the estimate has been brought up to date.
    updated: Time,
    /// When it looks again because of what fades.
    looks_at: Option<Time>,
    /// What it quotes: bids and offers.
    ladders: [Ladder; 2],
    /// There has been news since it last quoted.
    repriced: bool,
    /// Its quotes may take: they were sent when there was news.
    takes: bool,
}

/// A level of what a dealer shows: how far beyond the best price it stands, in cents, and its shares.
#[derive(Clone, Copy)]
struct Level {
    step: i64,
    shares: u32,
}

/// One side of what a dealer quotes.
#[derive(Default)]
struct Ladder {
    /// The best price.
    best: i64,
    /// Its order at each level, from the best on, with the shares that remain; none where it has ended, as far as the dealer has heard.
    orders: Vec<Option<(OrderId, u32)>>,
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
        let times = std::array::from_fn(|k| shortest * libm::pow(longest / shortest, k as f64 / (TIMES - 1) as f64));
        let remains_of_call = remains_on_average(settings, times, CALL);
        let agent = Self {
            settings,
            ladder: ladder(settings, count),
            schedule: schedule(settings, count, &remains_of_call),
            remains_of_call,
            count,
            auction: None,
            arrivals,
            lasting: level,
            fading: [0.0; TIMES],
            times,
            remains: std::array::from_fn(|number| remains(settings, times, wait(number))),
            reader: News::default(),
            news: 0.0,
            alarm: 0.0,
            inventory: 0,
            updated: hours.open,
            looks_at: None,
            ladders: std::array::from_fn(|_| Ladder { best: 0, orders: vec![None; settings.levels as usize] }),
            repriced: false,
            takes: false,
        };
        (agent, wake)
    }

    /// The best prices of the ladder when these shares of the parts that fade, and of the alarm, remain.
    fn best(&self, remains: &[f64; TIMES + 1]) -> (i64, i64) {
        let settings = self.settings;
        let fading = self.fading.iter().zip(remains).map(|(part, share)| part * share).sum::<f64>();
        let alarm = self.alarm * remains[TIMES];
        let middle = self.lasting + fading - settings.inventory_skew * self.inventory as f64;
        let half_spread = settings.half_spread + settings.widening * alarm;
        // The casts saturate; what is not a price is refused by the exchange.
        ((middle - half_spread).floor() as i64, (middle + half_spread).ceil() as i64)
    }

    /// Sees to it that it looks again about when what fades has moved a price of its ladder. The estimate is up to date.
    fn look_again(&mut self, context: &mut Context<'_, '_>) {
        let fades = self.fading.iter().map(|part| part.abs()).sum::<f64>() + self.settings.widening * self.alarm;
        if fades <= FADES_LEAST {
            return;
        }
        let (now, best) = (context.now(), self.best(&[1.0; TIMES + 1]));
        let Some(number) = self.remains.iter().position(|remains| self.best(remains) != best) else { return };
        let at = now + wait(number);
        if self.looks_at.is_none_or(|next| next <= now || at < next) {
            self.looks_at = Some(at);
            context.wake_at(at);
        }
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

    /// Notes the net shares that others have bought from the group in an auction, having asked for them during the call.
    fn learn_from_auction(&mut self, now: Time, net: f64) {
        self.learn(now, 0.0);
        let settings = self.settings;
        let moved = settings.impact * net;
        for (part, share) in self.fading.iter_mut().zip(self.remains_of_call) {
            *part += moved * settings.fading_share / TIMES as f64 * share;
        }
        self.lasting += moved * (1.0 - settings.fading_share);
        self.alarm += moved.abs() * self.remains_of_call[TIMES];
    }

    /// A call has begun or ended: what it shows is another.
    fn turn(&mut self, context: &mut Context<'_, '_>, is_call: bool) {
        self.withdraw(context);
        let levels = if is_call { self.schedule.len() } else { self.ladder.len() };
        self.ladders.iter_mut().for_each(|ladder| ladder.orders = vec![None; levels]);
        let traded = std::mem::replace(&mut self.auction, is_call.then_some(0));
        if let Some(bought) = traded {
            self.learn_from_auction(context.now(), -bought as f64 * f64::from(self.count));
        }
    }

    /// Brings the estimate up to date and quotes.
    fn reprice(&mut self, context: &mut Context<'_, '_>, net: f64) {
        self.learn(context.now(), net);
        if self.settings.news_share > 0.0 {
            let news = context.news();
            self.lasting += self.settings.news_share * (news - self.news);
            self.news = news;
        }
        self.quote(context);
        self.look_again(context);
    }

    /// Quotes the estimate, which is up to date: moves what stands elsewhere, and sends anew what has ended.
    fn quote(&mut self, context: &mut Context<'_, '_>) {
        let (bid, ask) = self.best(&[1.0; TIMES + 1]);
        let is_news = std::mem::take(&mut self.repriced);
        if std::mem::replace(&mut self.takes, is_news) && !is_news {
            self.withdraw(context);
        }
        // Its own quotes on the other side must be out of the way first.
        let sides = [(Side::Buy, bid), (Side::Sell, ask)];
        let upwards = bid > self.ladders[0].best;
        for (side, best) in if upwards { [sides[1], sides[0]] } else { sides } {
            self.quote_side(context, side, best, is_news);
        }
    }

    fn quote_side(&mut self, context: &mut Context<'_, '_>, side: Side, best: i64, is_news: bool) {
        let ladder = &mut self.ladders[side as usize];
        let stands = ladder.best == best;
        ladder.best = best;
        let levels = if self.auction.is_some() { &self.schedule } else { &self.ladder };
        for (level, order) in levels.iter().zip(&mut ladder.orders) {
            let (price, quantity) = (best - side.sign() * level.step, level.shares);
            match *order {
                Some((_, remaining)) if stands && remaining == quantity => {}
                Some((id, _)) => {
                    context.submit(RequestKind::Modify { order: id, price, quantity: u64::from(quantity) });
                    *order = Some((id, quantity));
                }
                None => {
                    let terms = Terms::limit(side, price, u64::from(quantity));
                    // Who still quotes the old price after news is traded with: otherwise a share left there would hold back the whole ladder.
                    let terms = if is_news { terms } else { terms.post_only(PostOnly::Slide) };
                    *order = Some((context.submit(RequestKind::Order(terms)), quantity));
                }
            }
        }
    }

    /// Takes everything back.
    fn withdraw(&mut self, context: &mut Context<'_, '_>) {
        let orders = self.ladders.iter_mut().flat_map(|ladder| &mut ladder.orders);
        if orders.filter_map(Option::take).count() > 0 {
            context.submit(RequestKind::CancelAll);
        }
    }
}

/// The levels while the market trades: as the scenario says, and never nearer to the estimate than the impact of half of the level's shares and of all
/// before it. Every dealer of the group shows the same ladder, and all answer.
fn ladder(settings: &DealerSettings, count: u32) -> Vec<Level> {
    let mut before = 0.0;
    let level = |level| {
        let outermost = level + 1 == settings.levels && settings.backstop_size > 0;
        let size = if outermost { settings.backstop_size } else { settings.level_size };
        let shares = f64::from(count) * f64::from(size);
        let least = settings.impact * (before + shares / 2.0) - settings.half_spread;
        before += shares;
        let usual = i64::from(level) * i64::from(settings.level_step);
        // The best price stands where the scenario says. The cast saturates; what is not a price is refused by the exchange.
        Level { step: if level == 0 { 0 } else { usual.max(least.ceil() as i64) }, shares: size }
    };
    (0..settings.levels).map(level).collect()
}

/// The levels in a call; see the module documentation. Each stands where its middle share moves the estimate to.
fn schedule(settings: &DealerSettings, count: u32, remains: &[f64; TIMES + 1]) -> Vec<Level> {
    let fades = remains[..TIMES].iter().sum::<f64>() / TIMES as f64;
    let impact = settings.impact * (1.0 - settings.fading_share * (1.0 - fades));
    // The casts saturate: without an impact, it is the most.
    let shares = (f64::from(CALL_STEP) / (impact * f64::from(count))).clamp(1.0, CALL_SHARES_MAX) as u32;
    let step =
        |level: u32| (f64::from(CALL_STEP) * (f64::from(level) + 0.5) - settings.half_spread).ceil().max(0.0) as i64;
    (0..CALL_LEVELS).map(|level| Level { step: step(level), shares }).collect()
}

/// How long a dealer waits before it looks at what has faded: each of the waits is twice the one before.
fn wait(number: usize) -> Nanos {
    Nanos(LOOK_LEAST.0 << number)
}

/// What remains of each part that fades, and of the alarm, after a time.
fn remains(settings: &DealerSettings, times: [f64; TIMES], after: Nanos) -> [f64; TIMES + 1] {
    let share = |time: f64| libm::exp(-seconds(after) / time);
    std::array::from_fn(|k| share(times.get(k).copied().unwrap_or_else(|| seconds(settings.widening_memory))))
}

/// What remains of each part, on average, of flow that came evenly over a time.
fn remains_on_average(settings: &DealerSettings, times: [f64; TIMES], over: Nanos) -> [f64; TIMES + 1] {
    let over = seconds(over);
    let share = |time: f64| time / over * -libm::expm1(-over / time);
    std::array::from_fn(|k| share(times.get(k).copied().unwrap_or_else(|| seconds(settings.widening_memory))))
}

fn seconds(nanos: Nanos) -> f64 {
    nanos.0 as f64 * 1e-9
}

impl Agent for Dealer<'_> {
    fn wake(&mut self, context: &mut Context<'_, '_>) {
        if self.settings.news_share > 0.0 && self.reader.is_out(context) {
            // Gone before anybody else's new quotes come.
            self.withdraw(context);
            self.repriced = true;
        } else if self.arrivals.next <= context.now() {
            context.wake_at(self.arrivals.advance(self.settings.wake_interval));
        }
        self.reprice(context, 0.0);
    }

    fn hears_trades(&self) -> bool {
        true
    }

    fn snapshot(&mut self, context: &mut Context<'_, '_>, snapshot: &MarketSnapshot) {
        if snapshot.is_call != self.auction.is_some() {
            self.turn(context, snapshot.is_call);
        }
        self.reprice(context, snapshot.bought as f64 - snapshot.sold as f64);
    }

    fn update(&mut self, _: &mut Context<'_, '_>, update: &OrderUpdate) {
        let sides = [Side::Buy, Side::Sell].into_iter().zip(&mut self.ladders);
        let mut orders = sides.flat_map(|(side, ladder)| ladder.orders.iter_mut().map(move |order| (side, order)));
        let named = orders.find(|(_, order)| order.is_some_and(|(id, _)| id == update.order));
        if let (UpdateKind::Fill { quantity, .. }, Some((side, _))) = (update.kind, &named) {
            let bought = side.sign() * i64::from(quantity);
            self.inventory += bought;
            self.auction = self.auction.map(|before| before + bought);
        }
        let Some((_, order)) = named else { return };
        match update.kind {
            UpdateKind::Cancelled { .. } | UpdateKind::Rejected { .. } => *order = None,
            UpdateKind::Fill { .. } if update.remaining == 0 => *order = None,
            UpdateKind::Fill { .. } => *order = Some((update.order, update.remaining)),
            _ => {}
        }
    }
}
