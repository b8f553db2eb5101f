//! What one episode shows of its agents, in one pass over its events.
//!
//! Invariants: only the first symbol counts; state within one request is never measured: the mid after a request is that of its quote.

use assay_market::metrics::Collector;
use assay_market::{
    AgentIndex, Event, EventKind, EventSink, Exchange, LeftOut, LevelChange, OthersQuote, Scenario, Session,
};
use assay_model::{Nanos, Quote, Side, SymbolIndex, Time};
use std::collections::VecDeque;

/// How long after a trade its impact is looked at.
const IMPACT_AFTER: Nanos = Nanos::from_secs(5);
/// The window of a jump.
const MINUTE_NS: u64 = 60_000_000_000;
/// The kind of whoever is in no group: the exchange itself, strategies.
const NOBODY: &str = "exchange";
/// The kind of recorded participants.
const RECORDED: &str = "recording";

/// Each kind of participant with how many there are: the groups of the first symbol, recorded participants if there are any, and the exchange.
pub(super) fn kinds(scenario: &Scenario) -> Vec<(String, u64)> {
    let mut kinds: Vec<(String, u64)> = Vec::new();
    for index in 0..scenario.trader().0 {
        let name = kind_of(scenario, AgentIndex(index));
        match kinds.iter_mut().find(|(other, _)| *other == name) {
            Some((_, count)) => *count += 1,
            None => kinds.push((name, 1)),
        }
    }
    kinds.push((NOBODY.to_owned(), 0));
    kinds
}

fn kind_of(scenario: &Scenario, agent: AgentIndex) -> String {
    match scenario.group_of(agent) {
        Some((SymbolIndex(0), group, _)) => group.name.clone(),
        Some((symbol, group, _)) => format!("symbol {}: {}", symbol.0 + 1, group.name),
        None => RECORDED.to_owned(),
    }
}

/// What agents of one kind did in one episode.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Shares traded with a resting order.
    pub(super) made: u64,
    /// Shares traded with an order that came in.
    pub(super) taken: u64,
    pub(super) requests: u64,
    /// Cents received less paid, then with the position at the last mid.
    pub(super) pnl: f64,
    position: i64,
    /// Σ shares · D(mid 5 s later − mid before), in cents.
    pub(super) impact: f64,
    pub(super) impact_shares: u64,
    /// Squared changes of the mid in half cents that came with their requests.
    pub(super) squared_moves: f64,
}

/// What was seen in one episode.
pub(super) struct Seen {
    /// By kind, in the order of [`kinds`].
    pub(super) tallies: Vec<Tally>,
    /// From when until when trading stood still.
    pub(super) halts: Vec<(u64, Option<u64>)>,
    /// The largest move within a minute: when it began, basis points.
    pub(super) jump: Option<(u64, f64)>,
    /// Equal for equal markets.
    pub(super) path: String,
}

/// A trade whose impact is not known yet.
struct Pending {
    due: Time,
    kind: usize,
    side: Side,
    shares: u32,
    /// In half cents.
    mid: i64,
}

/// Listens to one episode.
pub(super) struct Watcher {
    /// By agent; the last for whoever comes behind them.
    kind_of: Vec<usize>,
    tallies: Vec<Tally>,
    /// Whose request is being handled.
    asking: usize,
    /// The last two-sided mid in half cents.
    mid: Option<i64>,
    pending: VecDeque<Pending>,
    halts: Vec<(u64, Option<u64>)>,
    minute: Option<(u64, i64)>,
    jump: Option<(u64, f64)>,
    is_open: bool,
    hasher: blake3::Hasher,
}

impl Watcher {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let kinds = kinds(scenario);
        let place = |index| {
            let name = kind_of(scenario, AgentIndex(index));
            kinds.iter().position(|(other, _)| *other == name).unwrap_or(kinds.len() - 1)
        };
        Self {
            kind_of: (0..scenario.trader().0).map(place).collect(),
            tallies: vec![Tally::default(); kinds.len()],
            asking: kinds.len() - 1,
            mid: None,
            pending: VecDeque::new(),
            halts: Vec::new(),
            minute: None,
            jump: None,
            is_open: false,
            hasher: blake3::Hasher::new(),
        }
    }

    fn kind(&self, agent: AgentIndex) -> usize {
        self.kind_of.get(agent.0 as usize).copied().unwrap_or(self.tallies.len() - 1)
    }

    /// Impacts that are due are those at the mid that stands until now.
    fn settle(&mut self, now: Time) {
        while let Some(trade) = self.pending.pop_front_if(|trade| trade.due <= now) {
            if let Some(mid) = self.mid {
                let moved = (mid - trade.mid) as f64 / 2.0;
                let signed = if trade.side == Side::Buy { moved } else { -moved };
                let tally = &mut self.tallies[trade.kind];
                tally.impact += signed * f64::from(trade.shares);
                tally.impact_shares += u64::from(trade.shares);
            }
        }
    }

    fn quote(&mut self, at: Time, quote: &Quote) {
        let (Some(bid), Some(ask)) = (quote.bid, quote.ask) else { return };
        let mid = bid.price.cents() + ask.price.cents();
        let before = self.mid.replace(mid);
        if !self.is_open {
            return;
        }
        self.hasher.update(&at.0.to_le_bytes());
        self.hasher.update(&mid.to_le_bytes());
        if let Some(before) = before {
            let moved = (mid - before) as f64;
            self.tallies[self.asking].squared_moves += moved * moved;
        }
        self.minute_of(at, before.unwrap_or(mid));
    }

    /// Judges the minutes that ended before `at`, through which the mid stood at `mid` at last.
    fn minute_of(&mut self, at: Time, mid: i64) {
        let minute = at.0 / MINUTE_NS * MINUTE_NS;
        match self.minute {
            Some((began, first)) if began < minute => {
                let moved = (mid as f64 / first as f64 - 1.0) * 1e4;
                if first > 0 && self.jump.is_none_or(|(_, largest)| moved.abs() > largest.abs()) {
                    self.jump = Some((began, moved));
                }
                self.minute = Some((minute, mid));
            }
            None => self.minute = Some((minute, mid)),
            Some(_) => {}
        }
    }

    fn trade(&mut self, event: &Event) {
        let EventKind::Trade { price, quantity, taker_side, maker, taker } = event.kind else { return };
        let (maker, taker) = (self.kind(maker.0), self.kind(taker.0));
        let (cents, shares) = (price.cents() as f64 * f64::from(quantity), i64::from(quantity));
        let sign = if taker_side == Side::Buy { 1 } else { -1 };
        self.tallies[taker].taken += u64::from(quantity);
        self.tallies[taker].pnl -= sign as f64 * cents;
        self.tallies[taker].position += sign * shares;
        self.tallies[maker].made += u64::from(quantity);
        self.tallies[maker].pnl += sign as f64 * cents;
        self.tallies[maker].position -= sign * shares;
        if let Some(mid) = self.mid {
            let due = Time(event.at.0.saturating_add(IMPACT_AFTER.0));
            self.pending.push_back(Pending { due, kind: taker, side: taker_side, shares: quantity, mid });
        }
    }

    pub(super) fn finish(mut self) -> Seen {
        let mid = self.mid.unwrap_or_default() as f64 / 2.0;
        for tally in &mut self.tallies {
            tally.pnl += tally.position as f64 * mid;
        }
        let path = self.hasher.finalize().to_hex().to_string();
        Seen { tallies: self.tallies, halts: self.halts, jump: self.jump, path }
    }
}

impl EventSink for Watcher {
    fn event(&mut self, event: &Event) {
        if event.symbol != SymbolIndex(0) {
            return;
        }
        self.settle(event.at);
        match event.kind {
            EventKind::Opened => self.is_open = true,
            EventKind::Closed => self.is_open = false,
            EventKind::Request { agent, .. } => {
                self.asking = self.kind(agent);
                self.tallies[self.asking].requests += 1;
            }
            EventKind::Trade { .. } => self.trade(event),
            EventKind::Quote(quote) => self.quote(event.at, &quote),
            EventKind::Session(Session::Call) => self.halts.push((event.at.0, None)),
            EventKind::Session(Session::Continuous) => {
                if let Some((_, until @ None)) = self.halts.last_mut() {
                    *until = Some(event.at.0);
                }
            }
            EventKind::Update { .. } => {}
        }
    }
}

/// Everybody who listens to one episode.
pub(super) struct Pair<'a> {
    pub(super) collector: &'a mut Collector,
    pub(super) watcher: &'a mut Watcher,
    pub(super) data: Option<&'a mut dyn EventSink>,
}

impl EventSink for Pair<'_> {
    fn event(&mut self, event: &Event) {
        self.collector.event(event);
        self.watcher.event(event);
        if let Some(data) = &mut self.data {
            data.event(event);
        }
    }
    fn depth_interval(&self) -> Option<Nanos> {
        self.collector.depth_interval()
    }
    fn depth(&mut self, at: Time, exchange: &Exchange) {
        self.collector.depth(at, exchange);
    }
    fn watches_depth(&self) -> bool {
        self.data.as_ref().is_some_and(|data| data.watches_depth())
    }
    fn level(&mut self, change: &LevelChange) {
        if let Some(data) = &mut self.data {
            data.level(change);
        }
    }
    fn leaves_out(&self) -> Vec<LeftOut> {
        self.collector.leaves_out()
    }
    fn others(&mut self, quote: &OthersQuote) {
        self.collector.others(quote);
    }
    fn closing(&mut self, at: Time, symbol: SymbolIndex, exchange: &Exchange) {
        self.collector.closing(at, symbol, exchange);
        if let Some(data) = &mut self.data {
            data.closing(at, symbol, exchange);
        }
    }
}
