//! What participants are told about the market: answers to queries, quotes with depth, and word of a one-sided book.

use assay_model::{
    DEPTH_LEVELS, Indicative, Level, Nanos, OrderId, PRINTS_KEPT, Phase, Price, Print, Quote, SessionState, Side, Time,
};

use crate::exchange::SessionState as Course;
use crate::{AgentIndex, Exchange};

/// The exchange's answer to a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarketSnapshot {
    /// Best visible bid.
    pub(crate) bid: Option<Price>,
    /// Best visible offer.
    pub(crate) ask: Option<Price>,
    /// Shares that takers bought in the window asked for.
    pub(crate) bought: u64,
    /// Shares that takers sold in it.
    pub(crate) sold: u64,
    /// Orders are collected for an auction.
    pub(crate) is_call: bool,
}

impl MarketSnapshot {
    /// Best bid and offer in cents, if there are both.
    pub(crate) fn touch(&self) -> Option<(i64, i64)> {
        Some((self.bid?.cents(), self.ask?.cents()))
    }
}

/// Traded volume by the taker's side, so that the volume of any window takes one binary search. What trades in an auction has no taker.
#[derive(Debug, Default)]
pub(super) struct Tape {
    /// At each trade: shares bought and sold by takers so far, this trade included.
    totals: Vec<(Time, u64, u64)>,
}

impl Tape {
    pub(super) fn record(&mut self, at: Time, taker_side: Side, quantity: u32) {
        let (_, mut bought, mut sold) = self.totals.last().copied().unwrap_or_default();
        match taker_side {
            Side::Buy => bought += u64::from(quantity),
            Side::Sell => sold += u64::from(quantity),
        }
        self.totals.push((at, bought, sold));
    }

    /// Shares bought and sold by takers so far.
    fn total(&self) -> (u64, u64) {
        self.totals.last().map_or((0, 0), |(_, bought, sold)| (*bought, *sold))
    }

    /// Shares bought and sold by takers from `window` ago until now.
    pub(super) fn volume(&self, now: Time, window: Nanos) -> (u64, u64) {
        let Some(&(_, bought, sold)) = self.totals.last() else { return (0, 0) };
        let start = Time(now.0.saturating_sub(window.0));
        let before = self.totals.partition_point(|(at, _, _)| *at < start);
        let (_, bought_before, sold_before) = before.checked_sub(1).map_or((start, 0, 0), |index| self.totals[index]);
        (bought - bought_before, sold - sold_before)
    }
}

/// Tells subscribers of each trade, and of calls that begin and end.
#[derive(Debug, Default)]
pub(super) struct TradeWatch {
    pub(super) listeners: Vec<AgentIndex>,
    /// Shares bought and sold by takers that they have been told of.
    told: (u64, u64),
    /// They have been told that orders are collected.
    told_call: bool,
}

impl TradeWatch {
    /// Shares bought and sold by takers since the last look, if there were any or a call has begun or ended, and somebody listens.
    pub(super) fn look(&mut self, tape: &Tape, is_call: bool) -> Option<(u64, u64)> {
        if self.listeners.is_empty() {
            return None;
        }
        let (bought, sold) = tape.total();
        let news = (bought - self.told.0, sold - self.told.1);
        self.told = (bought, sold);
        let changed = std::mem::replace(&mut self.told_call, is_call) != is_call;
        (changed || news != (0, 0)).then_some(news)
    }
}

/// Tells subscribers when the book becomes one-sided. Looking costs the same however many subscribe at one threshold.
#[derive(Debug, Default)]
pub(super) struct ImbalanceWatch {
    thresholds: Vec<Threshold>,
    /// The totals last looked at.
    totals: (u64, u64),
}

#[derive(Debug)]
struct Threshold {
    imbalance: f64,
    subscribers: Vec<AgentIndex>,
    /// The side that outweighs the other, as long as it does.
    heavy_side: Option<Side>,
}

impl ImbalanceWatch {
    pub(super) fn subscribe(&mut self, agent: AgentIndex, imbalance: f64) {
        match self.thresholds.iter_mut().find(|threshold| threshold.imbalance.total_cmp(&imbalance).is_eq()) {
            Some(threshold) => threshold.subscribers.push(agent),
            None => self.thresholds.push(Threshold { imbalance, subscribers: vec![agent], heavy_side: None }),
        }
    }

    /// Looks at the visible totals of bids and offers and calls `tell` for everyone for whom an imbalance has begun or changed sides.
    pub(super) fn look(&mut self, totals: (u64, u64), mut tell: impl FnMut(AgentIndex)) {
        if totals == self.totals {
            return;
        }
        self.totals = totals;
        let (bids, asks) = totals;
        let imbalance = 1.0 - bids.min(asks) as f64 / bids.max(asks).max(1) as f64;
        let heavy_side = if bids > asks { Side::Buy } else { Side::Sell };
        for threshold in &mut self.thresholds {
            let now = (bids != asks && imbalance > threshold.imbalance).then_some(heavy_side);
            let begins = now.is_some() && now != threshold.heavy_side;
            threshold.heavy_side = now;
            if begins {
                threshold.subscribers.iter().for_each(|agent| tell(*agent));
            }
        }
    }
}

/// During a call an auction's indicative price is published at most so often, and with it whatever else changes: every second, as Nasdaq does
/// before its crosses. To work it out takes a look at every order.
pub(super) const INDICATIVE_INTERVAL: Nanos = Nanos::SECOND;

/// A quote with its depth, the trades since the last, the state of the session, and the places of one strategy's orders, as published to it.
#[derive(Debug, Default)]
pub(super) struct MarketData {
    pub(super) quote: Quote,
    pub(super) bids: Vec<Level>,
    pub(super) asks: Vec<Level>,
    pub(super) prints: Vec<Print>,
    pub(super) session: SessionState,
    /// Shares ahead of the orders that the strategy follows.
    pub(super) queue: Vec<(OrderId, u64)>,
}

/// Trades and changes of session that have happened since the last publication.
#[derive(Debug, Default)]
pub(super) struct Pending {
    prints: Vec<Print>,
    /// Orders are collected for an auction, so that what trades, trades in it.
    in_call: bool,
    quote: bool,
    session: bool,
}

impl Pending {
    /// A trade; of those that wait, the last are kept.
    pub(super) fn trade(&mut self, at: Time, price: Price, quantity: u32, taker_side: Side) {
        if self.prints.len() >= 2 * PRINTS_KEPT {
            self.prints.drain(..PRINTS_KEPT);
        }
        let aggressor = Some(taker_side).filter(|_| !self.in_call);
        self.prints.push(Print { at, price, quantity, aggressor });
    }

    pub(super) fn quote(&mut self) {
        self.quote = true;
    }

    pub(super) fn is_call(&self) -> bool {
        self.in_call
    }

    pub(super) fn session(&mut self, is_call: bool) {
        (self.in_call, self.session) = (is_call, true);
    }
}

/// Publishes quotes to the strategies: each change, or at most one in each interval and then the newest.
#[derive(Debug)]
pub(super) struct Feed {
    interval: Nanos,
    last_sent: Option<Time>,
    /// Publication of the newest quote is arranged.
    pending: bool,
    /// Continuous trading has begun: a call that comes later is a halt or the closing one.
    has_traded: bool,
    /// Spent publications, whose buffers are used again.
    #[expect(clippy::vec_box, reason = "they travel as boxes; taken out of theirs, they would have to be boxed again")]
    spare: Vec<Box<MarketData>>,
}

/// What to do about a new quote.
pub(super) enum Publish {
    Now,
    At(Time),
    /// It will go out with a publication that is already arranged.
    Later,
}

impl Feed {
    pub(super) fn new(interval: Nanos) -> Self {
        Self { interval, last_sent: None, pending: false, has_traded: false, spare: Vec::new() }
    }

    /// Decides when what has just changed goes out.
    pub(super) fn changed(&mut self, now: Time, changes: &mut Pending) -> Publish {
        let (quote, session) = (std::mem::take(&mut changes.quote), std::mem::take(&mut changes.session));
        if !(quote || session || changes.in_call) {
            return Publish::Later;
        }
        let is_routine = changes.in_call && !session;
        let interval = if is_routine { self.interval.max(INDICATIVE_INTERVAL) } else { self.interval };
        let due = self.last_sent.map_or(now, |last_sent| last_sent + interval);
        if due <= now {
            Publish::Now
        } else if self.pending {
            Publish::Later
        } else {
            self.pending = true;
            Publish::At(due)
        }
    }

    /// Whether a publication that was arranged is still to be made.
    pub(super) fn is_pending(&self) -> bool {
        self.pending
    }

    /// The publication of the exchange's state now, without anybody's places in the queue.
    pub(super) fn publish(&mut self, now: Time, exchange: &Exchange, changes: &mut Pending) -> Box<MarketData> {
        self.last_sent = Some(now);
        self.pending = false;
        let mut data = self.spare.pop().unwrap_or_default();
        data.quote = *exchange.quote();
        exchange.depth(Side::Buy, DEPTH_LEVELS, &mut data.bids);
        exchange.depth(Side::Sell, DEPTH_LEVELS, &mut data.asks);
        data.prints.clear();
        std::mem::swap(&mut data.prints, &mut changes.prints);
        data.session = self.session(exchange);
        data
    }

    fn session(&mut self, exchange: &Exchange) -> SessionState {
        let (phase, ends) = match exchange.session_state() {
            Course::BeforeOpen => (Phase::BeforeOpen, None),
            Course::Continuous => (Phase::Continuous, None),
            Course::Call { until: None } => (Phase::ClosingCall, None),
            Course::Call { until } if self.has_traded => (Phase::Halt, until),
            Course::Call { until } => (Phase::OpeningCall, until),
            Course::Closed => (Phase::Closed, None),
        };
        self.has_traded |= phase == Phase::Continuous;
        let indicative = if phase.is_call() { exchange.indicative() } else { None };
        let indicative = indicative.map(|(price, matched, imbalance)| Indicative { price, matched, imbalance });
        SessionState { phase, ends, indicative }
    }

    /// The same publication once more, for another who watches.
    pub(super) fn copy(&mut self, data: &MarketData) -> Box<MarketData> {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.quote = data.quote;
        copy.bids.clone_from(&data.bids);
        copy.asks.clone_from(&data.asks);
        copy.prints.clone_from(&data.prints);
        copy.session = data.session;
        copy
    }

    /// Takes a delivered publication back.
    pub(super) fn reuse(&mut self, data: Box<MarketData>) {
        self.spare.push(data);
    }
}
