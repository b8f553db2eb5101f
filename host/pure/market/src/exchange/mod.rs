//! The exchange: checks requests, matches orders, answers, and publishes quotes. No latency and no agents here.
//!
//! For each request the events come in this order: the request; its updates and trades (for each match the trade, the resting
//! order's fill, the incoming order's fill); those of the stops it set off; at most one quote. What falls due comes before, at its own time.
//!
//! Rules, beyond those of the order protocol in `assay_model`:
//! - A request is checked in this order, and the first complaint is the answer: opening hours, stopped trader, terms, price, quantity,
//!   price band, the named order, whether it waits, number of open orders, position limit, buying power, auction, post-only, fill-or-kill. A refused
//!   modify or replace leaves the old order as it was.
//! - A market order is accepted whatever the book looks like; what does not trade, within the price band, is cancelled with `NoLiquidity`.
//! - Under a price band, nobody sets a limit further from its reference than the band is wide. What rests already may stay outside; a
//!   stop whose limit is outside when it is set off is cancelled.
//! - Under a position limit, a request after which its trader could come to hold more than the limit, should all its orders trade, is
//!   refused. What cannot add to a position passes.
//! - A trader with a margin is held to its buying power and out when it is ruined (see `margin.rs`). A stop that is set off, and what was collected
//!   for an auction, is judged once more then, because the market has moved; what fails is cancelled.
//! - An agent may be let in later than the open; for it the market is not open before.
//! - What happens when an order meets another of its own trader is the [`Venue`]'s to say; by default the incoming one is cancelled there.
//! - A fill-or-kill order counts every share it could take, hidden ones too, of the first [`FILL_STEPS_MAX`] orders that it would meet. Where orders of one trader do not trade, its own count for
//!   nothing if they would be cancelled, and rule it out at any price that it would have to go to otherwise.
//! - A modify that gives up its place may trade at once, as a taker; its `Modified` comes before the fills. Of an order that waits and has
//!   a limit it sets limit and quantity, and keeps the place among those that wait as it would in the book. An order that waits at
//!   market has no limit to set, and nothing that waits can be replaced.
//! - A reduce by all that remains is answered by `Cancelled`. Of an iceberg, the hidden shares go first.
//! - The orders that a cancel-all ends get a `Cancelled` whose `request` is the order itself, so that the one `CancelledAll` is the only
//!   update with the cancel-all's id; that of an order replaced names the replacing request. Resting orders go first, then those that wait, by id.
//! - Stops: a trade sets off stops to buy (the lowest first), stops to sell (the highest first), trailing stops (the oldest first); those
//!   are entered one after the other, behind what earlier trades have set off. Each is set off once, so a cascade ends.
//! - Auctions trade at one price (see `auction.rs`); the heavier side is the taker. Before it is found, what the venue does about orders that
//!   meet others of their trader is done to those that cross: first what rests, then what was collected, as it came. In its call orders are collected, resting ones stay in the
//!   book, nothing trades, and all of them can be cancelled and changed. An iceberg takes part whole, a post-only order like any other,
//!   and an order at market has the edge of the price band for its limit. Afterwards the limit orders collected are entered as they came,
//!   post-only ones so that they do not take; what is at market or for this auction only is cancelled.
//!
//! ```text
//! BeforeOpen ──open──► [Call] ──► Open ──close──► Closed
//!                        ▲ └─auction─┘│     ▲
//!                        └────halt────┘   [Call, auction at the close]
//! ```

mod accounts;
mod agenda;
mod auction;
mod band;
#[cfg(test)]
mod cost_tests;
mod enter;
mod exposure;
mod margin;
mod matching;
mod notes;
mod others;
mod requests;
mod session;
mod sight;
mod sink;
mod venue;
mod waiting;

pub use crate::book::FILL_STEPS_MAX;
use crate::book::{Book, Style};
use crate::{AgentIndex, Event, EventKind, LevelChange};
use accounts::Accounts;
use agenda::Agenda;
use assay_model::{
    Level, OrderId, OrderUpdate, Price, Qualifiers, Quote, Reason, Request, RequestId, Side, SymbolIndex, Time,
    UpdateKind,
};
use band::Band;
pub use band::PriceBand;
pub use exposure::TraderLimits;
pub use margin::Margin;
use notes::Notes;
use others::Others;
pub use sight::{QUEUE_STEPS_MAX, SessionState};
pub use sink::EventSink;
use std::hint::black_box;
pub use venue::{Breaker, Halt, LimitPause, SelfTrade, Venue};
pub use waiting::TRAILING_STOPS_MAX;
use waiting::Waiting;

/// Orders one agent may have open: a hundred times what a market maker needs, and a bound on what a runaway strategy can pile up.
pub const OPEN_ORDERS_MAX: u32 = 10_000;

/// Opening hours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    BeforeOpen,
    Open,
    /// Orders are collected for an auction.
    Call(Call),
    Closed,
}

/// Which auction, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Opening(Time),
    Reopening(Time),
    /// At the close.
    Closing,
}

/// An order that is on its way to the book, or waits.
#[derive(Clone, Copy, Debug)]
struct Entry {
    agent: AgentIndex,
    id: OrderId,
    side: Side,
    /// None at market.
    limit: Option<Price>,
    quantity: u32,
    qualifiers: Qualifiers,
    style: Style,
    stay: Stay,
}

/// What becomes of what does not trade at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stay {
    Rest,
    Cancel,
    /// Unless everything trades at once, nothing does.
    AllOrNone,
}

/// One symbol's exchange; see the module for its rules.
#[derive(Debug)]
pub struct Exchange {
    symbol: SymbolIndex,
    phase: Phase,
    /// Who is let in later than the open, and when; by index.
    latecomers: Vec<(AgentIndex, Time)>,
    /// Nobody below is among them: background agents, who come first, pay one comparison.
    first_late: AgentIndex,
    venue: Venue,
    notes: Notes,
    /// Whether every trade is to be noted.
    notes_all: bool,
    /// Whether the venue has rules that look at each quote or trade.
    watches: bool,
    /// Whether changes of visible levels are told.
    tells_depth: bool,
    /// Without whose orders the best prices are told.
    others: Others,
    book: Book,
    accounts: Accounts,
    waiting: Waiting,
    agenda: Agenda,
    /// Since when the market presses against its band.
    at_limit_since: Option<Time>,
    /// Who has been ruined, until somebody asks.
    ruined: Vec<AgentIndex>,
    /// The volume and the reference at which all watched traders have been judged: nothing else changes what they are worth.
    judged: Option<(u64, Option<Price>)>,
    /// How many circuit breakers have acted.
    breakers_used: usize,
    quote: Quote,
    last: Option<Price>,
    volume: u64,
}

/// Where answers go while one request is handled.
struct Answers<'a, O: ?Sized> {
    at: Time,
    symbol: SymbolIndex,
    out: &'a mut O,
}

impl<O: EventSink + ?Sized> Answers<'_, O> {
    fn event(&mut self, kind: EventKind) {
        self.out.event(&Event { at: self.at, symbol: self.symbol, kind });
    }

    fn update(&mut self, agent: AgentIndex, request: RequestId, order: OrderId, remaining: u32, kind: UpdateKind) {
        let update = OrderUpdate { request, order, at: self.at, remaining, kind };
        self.event(EventKind::Update { agent, update });
    }

    /// The order itself is over, for this reason.
    fn cancelled(&mut self, agent: AgentIndex, order: OrderId, reason: Reason) {
        self.update(agent, order, order, 0, UpdateKind::Cancelled { reason });
    }
}

impl Exchange {
    /// An exchange for the agents `0..agents`, not open yet, without a price band and with the default [`Venue`].
    #[must_use]
    pub fn new(agents: u32) -> Self {
        Self {
            symbol: SymbolIndex::FIRST,
            phase: Phase::BeforeOpen,
            latecomers: Vec::new(),
            first_late: AgentIndex(u32::MAX),
            venue: Venue::default(),
            notes: Notes::default(),
            notes_all: false,
            watches: false,
            tells_depth: false,
            others: Others::default(),
            book: Book::new(),
            accounts: Accounts::new(agents),
            waiting: Waiting::default(),
            agenda: Agenda::new(),
            at_limit_since: None,
            ruined: Vec::new(),
            judged: None,
            breakers_used: 0,
            quote: Quote::default(),
            last: None,
            volume: 0,
        }
    }

    /// The same, for this symbol: what its events say they are about.
    #[must_use]
    pub fn for_symbol(self, symbol: SymbolIndex) -> Self {
        Self { symbol, ..self }
    }

    /// The same, with a price band.
    #[must_use]
    pub fn with_band(self, band: PriceBand) -> Self {
        Self { notes: Notes { band: Some(Band::new(band)), ..self.notes }, notes_all: true, ..self }
    }

    /// The same, under these rules.
    #[must_use]
    pub fn with_venue(self, venue: Venue) -> Self {
        let watches = self.watches || venue.limit_pause.is_some() || !venue.breakers.is_empty();
        let notes_all = self.notes_all || !venue.breakers.is_empty();
        Self { venue, watches, notes_all, ..self }
    }

    /// The same, but for `agent` the market opens at `at` only, should that be after the open. For each agent the last time given holds.
    #[must_use]
    pub fn opening_late_for(mut self, agent: AgentIndex, at: Time) -> Self {
        self.latecomers.retain(|(late, _)| *late != agent);
        self.latecomers.push((agent, at));
        self.latecomers.sort_unstable();
        self.first_late = self.first_late.min(agent);
        self
    }

    /// The same, but `agent` is held to these limits. For each agent the last limits given hold; to be given before the open.
    #[must_use]
    pub fn with_trader_limits(mut self, agent: AgentIndex, limits: TraderLimits) -> Self {
        self.notes.exposures.watch(agent, limits);
        self.accounts.keep_index(agent);
        Self { notes_all: true, watches: true, ..self }
    }

    /// The same, but every change of a visible level is told to the sink.
    #[must_use]
    pub fn telling_depth(mut self) -> Self {
        self.book.watch();
        Self { tells_depth: true, ..self }
    }

    /// The last quote published. After the close it stands as it was at the close.
    #[must_use]
    pub fn quote(&self) -> &Quote {
        &self.quote
    }

    /// Fills `into` with the best visible levels of a side, best first.
    pub fn depth(&self, side: Side, levels: usize, into: &mut Vec<Level>) {
        into.clear();
        // Not by extending: that would ask for one level at a time, through every layer of the iterator.
        self.book.levels(side).take(levels).for_each(|level| into.push(level));
    }

    /// Visible shares of all bids and of all offers.
    #[must_use]
    pub fn bid_ask_totals(&self) -> (u64, u64) {
        (self.book.visible_quantity(Side::Buy), self.book.visible_quantity(Side::Sell))
    }

    /// Reads the agent's account and its oldest order, so that they are near when a request of it comes.
    pub(crate) fn look(&self, agent: AgentIndex) {
        black_box(self.accounts.oldest(agent).and_then(|handle| self.book.order(handle)));
    }

    /// Handles one request. The ids of an agent's requests must be unique and count up from 1, as a desk's do; the ids named in a
    /// request may be any.
    ///
    /// # Panics
    /// If there is no such agent.
    pub fn handle(&mut self, at: Time, agent: AgentIndex, request: &Request, out: &mut (impl EventSink + ?Sized)) {
        if self.agenda.next() <= at {
            self.advance(at, out);
        }
        self.refresh_band(at);
        let mut answers = Answers { at, symbol: self.symbol, out };
        answers.event(EventKind::Request { agent, request: *request });
        if let Err(reason) = self.check_hours(at, agent).and_then(|()| self.act(agent, request, &mut answers)) {
            let named = requests::named_order(request);
            let remaining = named.map_or(0, |order| self.remaining(agent, order));
            let order = named.unwrap_or(request.id);
            answers.update(agent, request.id, order, remaining, UpdateKind::Rejected { reason });
        } else {
            self.settle(&mut answers);
        }
    }

    /// Brings the price band up to the time.
    #[inline(always)]
    fn refresh_band(&mut self, at: Time) {
        if let Some(band) = &mut self.notes.band {
            band.refresh(at);
        }
    }

    /// Whether orders trade as they come.
    fn is_continuous(&self) -> bool {
        matches!(self.phase, Phase::Open)
    }

    /// Publishes a quote if anything in it is different; the closing quote stands.
    #[inline(always)]
    fn publish<O: EventSink + ?Sized>(&mut self, answers: &mut Answers<'_, O>) {
        if self.tells_depth {
            self.tell_depth(answers);
        }
        if !self.others.is_empty() {
            self.tell_others(answers);
        }
        let (bid, ask) = (self.book.top(Side::Buy), self.book.top(Side::Sell));
        let Self { last, volume, .. } = *self;
        // Each trade adds volume, so `last` need not be compared.
        let same = (bid, ask, volume) == (self.quote.bid, self.quote.ask, self.quote.volume);
        if same || self.phase == Phase::Closed {
            return;
        }
        self.quote = Quote { sequence: self.quote.sequence + 1, at: answers.at, bid, ask, last, volume };
        answers.event(EventKind::Quote(self.quote));
    }

    #[cold]
    fn tell_depth<O: EventSink + ?Sized>(&mut self, answers: &mut Answers<'_, O>) {
        if self.phase != Phase::Closed {
            let Answers { at, symbol, out } = answers;
            self.book.changes(|side, level| out.level(&LevelChange { at: *at, symbol: *symbol, side, level }));
        }
    }
}
