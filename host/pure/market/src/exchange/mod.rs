//! The exchange: checks requests, matches orders, answers, and publishes quotes. No latency and no agents here.
//!
//! For each request the events come in this order: the request; its updates and trades (for each match the trade, the resting
//! order's fill, the incoming order's fill); at most one quote.
//!
//! Rules, beyond those of the order protocol in `assay_model`:
//! - A request is checked in this order, and the first complaint is the answer: opening hours, stopped trader, price, quantity,
//!   price band, the named order, number of resting orders, position limit, post-only. A refused modify or replace leaves the old order as it was.
//! - A market order is accepted whatever the book looks like; what does not trade, within the price band, is cancelled with `NoLiquidity`.
//! - Under a price band, nobody sets a limit further from the last trade than the band is wide. What rests already may stay outside.
//! - Under a position limit, a request after which its trader could come to hold more than the limit, should all its orders trade, is
//!   refused. What cannot add to a position passes.
//! - An agent may be let in later than the open; for it the market is not open before.
//! - An incoming order that meets an order of its own trader is cancelled there with `SelfTrade`; trades before that stand.
//! - A modify that gives up its place may trade at once, as a taker; its `Modified` comes before the fills.
//! - A reduce by all that remains is answered by `Cancelled`.
//! - The orders that a cancel-all ends get a `Cancelled` whose `request` is the order itself, so that the one `CancelledAll` is the only
//!   update with the cancel-all's id; that of an order replaced names the replacing request.
//!
//! ```text
//! BeforeOpen ──open──► Open ──close──► Closed
//! ```

mod accounts;
mod band;
mod exposure;

use crate::book::{Book, Fill, Handle, Resting, Taken};
use crate::{AgentIndex, Event, EventKind, EventSink};
use accounts::Accounts;
use assay_model::{
    Level, Liquidity, OrderId, OrderUpdate, Price, Qualifiers, Quantity, Quote, Reason, Request, RequestId,
    RequestKind, Side, Time, UpdateKind,
};
pub use band::PriceBand;
use exposure::Exposure;

/// Orders one agent may have resting: a hundred times what a market maker needs, and a bound on what a runaway strategy can pile up.
pub const OPEN_ORDERS_MAX: u32 = 10_000;

/// Opening hours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    BeforeOpen,
    Open,
    Closed,
}

/// One symbol's exchange; see the module for its rules.
#[derive(Debug)]
pub struct Exchange {
    phase: Phase,
    band: Option<PriceBand>,
    /// Who is let in later than the open, and when.
    latecomer: Option<(AgentIndex, Time)>,
    /// The one trader with a position limit.
    exposure: Option<Exposure>,
    book: Book,
    accounts: Accounts,
    quote: Quote,
    last: Option<Price>,
    volume: u64,
}

/// Where answers go while one request is handled.
struct Answers<'a, O: ?Sized> {
    at: Time,
    out: &'a mut O,
}

impl<O: EventSink + ?Sized> Answers<'_, O> {
    fn event(&mut self, kind: EventKind) {
        self.out.event(&Event { at: self.at, kind });
    }

    fn update(&mut self, agent: AgentIndex, request: RequestId, order: OrderId, remaining: u32, kind: UpdateKind) {
        let update = OrderUpdate { request, order, at: self.at, remaining, kind };
        self.event(EventKind::Update { agent, update });
    }
}

impl Exchange {
    /// An exchange for the agents `0..agents`, not open yet, without a price band.
    #[must_use]
    pub fn new(agents: u32) -> Self {
        Self {
            phase: Phase::BeforeOpen,
            band: None,
            latecomer: None,
            exposure: None,
            book: Book::new(),
            accounts: Accounts::new(agents),
            quote: Quote::default(),
            last: None,
            volume: 0,
        }
    }

    /// The same, with a price band.
    #[must_use]
    pub fn with_band(self, band: PriceBand) -> Self {
        Self { band: Some(band), ..self }
    }

    /// The same, but for `agent` the market opens at `at` only, should that be after the open.
    #[must_use]
    pub fn opening_late_for(self, agent: AgentIndex, at: Time) -> Self {
        Self { latecomer: Some((agent, at)), ..self }
    }

    /// The same, but `agent` may never come to hold more than `shares`, long or short.
    #[must_use]
    pub fn with_position_limit(self, agent: AgentIndex, shares: u32) -> Self {
        Self { exposure: Some(Exposure::new(agent, shares)), ..self }
    }

    /// The last quote published. After the close it stands as it was at the close.
    #[must_use]
    pub fn quote(&self) -> &Quote {
        &self.quote
    }

    /// Fills `into` with the best visible levels of a side, best first.
    pub fn depth(&self, side: Side, levels: usize, into: &mut Vec<Level>) {
        into.clear();
        into.extend(self.book.levels(side).take(levels));
    }

    /// Visible shares of all bids and of all offers.
    #[must_use]
    pub fn bid_ask_totals(&self) -> (u64, u64) {
        (self.book.visible_quantity(Side::Buy), self.book.visible_quantity(Side::Sell))
    }

    /// Begins trading.
    pub fn open(&mut self, at: Time, out: &mut (impl EventSink + ?Sized)) {
        debug_assert_eq!(self.phase, Phase::BeforeOpen, "the market opens once");
        self.phase = Phase::Open;
        Answers { at, out }.event(EventKind::Opened);
    }

    /// Ends trading; every resting order expires, agent by agent. No quote follows: the last one is the closing quote.
    pub fn close(&mut self, at: Time, out: &mut (impl EventSink + ?Sized)) {
        debug_assert_eq!(self.phase, Phase::Open, "an open market closes once");
        self.phase = Phase::Closed;
        let mut answers = Answers { at, out };
        answers.event(EventKind::Closed);
        for agent in self.accounts.agents() {
            self.cancel_all(agent, Reason::MarketClosed, &mut answers);
        }
    }

    /// Takes an agent's orders out and refuses whatever still arrives from it.
    ///
    /// # Panics
    /// If there is no such agent.
    pub fn stop(&mut self, at: Time, agent: AgentIndex, out: &mut (impl EventSink + ?Sized)) {
        let mut answers = Answers { at, out };
        self.accounts.stop(agent);
        self.cancel_all(agent, Reason::TraderStopped, &mut answers);
        self.publish(&mut answers);
    }

    /// Handles one request. The ids of an agent's requests must be unique and count up from 1, as a desk's do; the ids named in a
    /// request may be any.
    ///
    /// # Panics
    /// If there is no such agent.
    pub fn handle(&mut self, at: Time, agent: AgentIndex, request: &Request, out: &mut (impl EventSink + ?Sized)) {
        let mut answers = Answers { at, out };
        answers.event(EventKind::Request { agent, request: *request });
        if let Err(reason) = self.check_hours(at, agent).and_then(|()| self.act(agent, request, &mut answers)) {
            let order = named_order(request).unwrap_or(request.id);
            let remaining = self.find(agent, order).map_or(0, |(_, order)| order.quantity);
            answers.update(agent, request.id, order, remaining, UpdateKind::Rejected { reason });
        } else {
            self.publish(&mut answers);
        }
    }

    fn check_hours(&self, at: Time, agent: AgentIndex) -> Result<(), Reason> {
        match self.phase {
            Phase::BeforeOpen => Err(Reason::MarketNotOpen),
            Phase::Closed => Err(Reason::MarketClosed),
            Phase::Open if self.accounts.is_stopped(agent) => Err(Reason::TraderStopped),
            Phase::Open if self.latecomer.is_some_and(|(late, from)| late == agent && at < from) => {
                Err(Reason::MarketNotOpen)
            }
            Phase::Open => Ok(()),
        }
    }

    /// Does what is asked and answers, or returns why not and has changed nothing.
    fn act<O: EventSink + ?Sized>(
        &mut self,
        agent: AgentIndex,
        request: &Request,
        answers: &mut Answers<'_, O>,
    ) -> Result<(), Reason> {
        let id = request.id;
        match request.kind {
            RequestKind::Limit { side, price, quantity, qualifiers } => {
                let (price, quantity) = self.check_terms(price, quantity)?;
                if self.accounts.resting(agent) >= OPEN_ORDERS_MAX {
                    return Err(Reason::TooManyOpenOrders);
                }
                self.check_position(agent, side, quantity, 0)?;
                self.check_post_only(side, price, qualifiers)?;
                answers.update(agent, id, id, quantity, UpdateKind::Accepted);
                self.enter(Resting { agent, id, side, price, quantity, qualifiers }, answers);
            }
            RequestKind::Market { side, quantity } => {
                let quantity = check_quantity(quantity)?;
                self.check_position(agent, side, quantity, 0)?;
                answers.update(agent, id, id, quantity, UpdateKind::Accepted);
                let worst = self.band.map(|band| band.edge(side, self.last));
                let taken = self.take(side, worst, quantity, (agent, id), answers);
                self.cancel_rest((agent, id), taken, answers);
            }
            RequestKind::Cancel { order } => {
                let (handle, _) = self.find(agent, order).ok_or(Reason::UnknownOrder)?;
                self.remove(handle);
                answers.update(agent, id, order, 0, UpdateKind::Cancelled { reason: Reason::Requested });
            }
            RequestKind::CancelAll => {
                let count = self.cancel_all(agent, Reason::Requested, answers);
                answers.update(agent, id, id, 0, UpdateKind::CancelledAll { count });
            }
            RequestKind::Modify { order, price, quantity } => {
                let (price, quantity) = self.check_terms(price, quantity)?;
                let (handle, old) = self.find(agent, order).ok_or(Reason::UnknownOrder)?;
                self.check_position(agent, old.side, quantity, old.quantity)?;
                self.check_post_only(old.side, price, old.qualifiers)?;
                answers.update(agent, id, order, quantity, UpdateKind::Modified { price });
                if price == old.price && quantity <= old.quantity {
                    self.reduce(handle, &old, old.quantity - quantity);
                } else {
                    self.remove(handle);
                    self.enter(Resting { price, quantity, ..old }, answers);
                }
            }
            RequestKind::Reduce { order, by } => {
                if by == 0 {
                    return Err(Reason::InvalidQuantity);
                }
                let (handle, old) = self.find(agent, order).ok_or(Reason::UnknownOrder)?;
                // More shares than a u32 holds are more than any order has.
                let by = u32::try_from(by).unwrap_or(u32::MAX).min(old.quantity);
                if by == old.quantity {
                    self.remove(handle);
                    answers.update(agent, id, order, 0, UpdateKind::Cancelled { reason: Reason::Requested });
                } else {
                    self.reduce(handle, &old, by);
                    answers.update(agent, id, order, old.quantity - by, UpdateKind::Reduced { by });
                }
            }
            RequestKind::Replace { order, price, quantity } => {
                let (price, quantity) = self.check_terms(price, quantity)?;
                let (handle, old) = self.find(agent, order).ok_or(Reason::UnknownOrder)?;
                self.check_position(agent, old.side, quantity, old.quantity)?;
                self.check_post_only(old.side, price, old.qualifiers)?;
                self.remove(handle);
                answers.update(agent, id, order, 0, UpdateKind::Cancelled { reason: Reason::Replaced });
                answers.update(agent, id, id, quantity, UpdateKind::Accepted);
                self.enter(Resting { id, price, quantity, ..old }, answers);
            }
        }
        Ok(())
    }

    /// Trades what it can of a limit order and rests what is left.
    fn enter<O: EventSink + ?Sized>(&mut self, order: Resting, answers: &mut Answers<'_, O>) {
        let Resting { agent, id, side, price, quantity, .. } = order;
        match self.take(side, Some(price), quantity, (agent, id), answers) {
            Taken::Remaining(quantity) => {
                let handle = self.book.rest(Resting { quantity, ..order });
                self.accounts.add(agent, id, handle);
                if let Some(exposure) = &mut self.exposure {
                    exposure.rests(agent, side, quantity);
                }
            }
            taken => self.cancel_rest((agent, id), taken, answers),
        }
    }

    /// Ends an order that may not rest.
    fn cancel_rest<O: EventSink + ?Sized>(
        &mut self,
        (agent, id): (AgentIndex, OrderId),
        taken: Taken,
        answers: &mut Answers<'_, O>,
    ) {
        let reason = match taken {
            Taken::Filled => return,
            Taken::Remaining(_) => Reason::NoLiquidity,
            Taken::OwnOrder(_) => Reason::SelfTrade,
        };
        answers.update(agent, id, id, 0, UpdateKind::Cancelled { reason });
    }

    fn take<O: EventSink + ?Sized>(
        &mut self,
        side: Side,
        limit: Option<Price>,
        quantity: u32,
        (agent, id): (AgentIndex, OrderId),
        answers: &mut Answers<'_, O>,
    ) -> Taken {
        let Self { book, accounts, exposure, last, volume, .. } = self;
        let mut wanted = quantity;
        book.take(side, limit, quantity, agent, |fill| {
            let Fill { price, quantity, .. } = fill;
            wanted -= quantity;
            *volume += u64::from(quantity);
            *last = Some(price);
            if fill.remaining == 0 {
                accounts.remove(fill.agent, fill.id, fill.maker);
            }
            if let Some(exposure) = exposure {
                exposure.leaves(fill.agent, side.opposite(), quantity);
                exposure.trades(fill.agent, side.opposite(), quantity);
                exposure.trades(agent, side, quantity);
            }
            let (maker, taker) = ((fill.agent, fill.id), (agent, id));
            answers.event(EventKind::Trade { price, quantity, taker_side: side, maker, taker });
            let kind = |liquidity| UpdateKind::Fill { price, quantity, liquidity };
            answers.update(fill.agent, fill.id, fill.id, fill.remaining, kind(Liquidity::Maker));
            answers.update(agent, id, id, wanted, kind(Liquidity::Taker));
        })
    }

    fn cancel_all<O: EventSink + ?Sized>(
        &mut self,
        agent: AgentIndex,
        reason: Reason,
        answers: &mut Answers<'_, O>,
    ) -> u32 {
        let mut count = 0;
        while let Some(handle) = self.accounts.oldest(agent)
            && let Some(order) = self.remove(handle)
        {
            answers.update(agent, order.id, order.id, 0, UpdateKind::Cancelled { reason });
            count += 1;
        }
        count
    }

    fn find(&self, agent: AgentIndex, order: OrderId) -> Option<(Handle, Resting)> {
        let handle = self.accounts.find(agent, order)?;
        Some((handle, self.book.order(handle)?))
    }

    fn remove(&mut self, handle: Handle) -> Option<Resting> {
        let order = self.book.remove(handle)?;
        self.accounts.remove(order.agent, order.id, handle);
        if let Some(exposure) = &mut self.exposure {
            exposure.leaves(order.agent, order.side, order.quantity);
        }
        Some(order)
    }

    fn reduce(&mut self, handle: Handle, order: &Resting, by: u32) {
        self.book.reduce(handle, by);
        if let Some(exposure) = &mut self.exposure {
            exposure.leaves(order.agent, order.side, by);
        }
    }

    fn check_terms(&self, price: i64, quantity: u64) -> Result<(Price, u32), Reason> {
        let price = Price::new(price).ok_or(Reason::InvalidPrice)?;
        let quantity = check_quantity(quantity)?;
        let outside = self.band.is_some_and(|band| !band.contains(price, self.last));
        if outside { Err(Reason::OutsideBand) } else { Ok((price, quantity)) }
    }

    /// Whether the trader may have `new` shares to trade in place of the `old` ones of an order that rests.
    fn check_position(&self, agent: AgentIndex, side: Side, new: u32, old: u32) -> Result<(), Reason> {
        let refused = self.exposure.as_ref().is_some_and(|exposure| !exposure.allows(agent, side, new, old));
        if refused { Err(Reason::PositionLimit) } else { Ok(()) }
    }

    fn check_post_only(&self, side: Side, price: Price, qualifiers: Qualifiers) -> Result<(), Reason> {
        let refused = qualifiers.post_only && self.book.would_take(side, price);
        if refused { Err(Reason::WouldTrade) } else { Ok(()) }
    }

    /// Publishes a quote if anything in it is different; the closing quote stands.
    fn publish<O: EventSink + ?Sized>(&mut self, answers: &mut Answers<'_, O>) {
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
}

/// The resting order that a request is about.
fn named_order(request: &Request) -> Option<OrderId> {
    match request.kind {
        RequestKind::Cancel { order } | RequestKind::Modify { order, .. } | RequestKind::Reduce { order, .. } => {
            Some(order)
        }
        // A replace makes an order of its own, and that is what a rejection ends.
        RequestKind::Replace { .. }
        | RequestKind::Limit { .. }
        | RequestKind::Market { .. }
        | RequestKind::CancelAll => None,
    }
}

fn check_quantity(quantity: u64) -> Result<u32, Reason> {
    Quantity::new(quantity).map(Quantity::shares).ok_or(Reason::InvalidQuantity)
}
