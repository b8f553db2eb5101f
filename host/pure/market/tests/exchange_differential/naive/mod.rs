//! A reference exchange that is slow and plain: one list of orders that rest, one of orders that wait, searched from end to end for
//! everything.
//!
//! It shares no code with the real one beyond the vocabulary.

mod checks;
mod money;
mod session;

use crate::stream::Step;
use assay_market::{AgentIndex, Event, EventKind, PriceBand, SelfTrade, TraderLimits, Venue};
use assay_model::{
    Display, Level, Liquidity, OrderId, OrderUpdate, PostOnly, Price, Quote, Reason, Request, RequestKind, Side,
    SymbolIndex, Terms, Time, TimeInForce, Trigger, UpdateKind,
};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Wait {
    Nothing,
    Stop(i64),
    Trail { by: i64, best: Option<i64> },
    Call,
    Opening,
    Closing,
}

#[derive(Clone, Copy, Debug)]
struct Order {
    agent: AgentIndex,
    id: OrderId,
    side: Side,
    /// None at market.
    price: Option<i64>,
    quantity: u64,
    /// Shares that can be taken before it goes to the end of the queue.
    slice: u64,
    /// Shares it shows at a time; 0 for all.
    peak: u64,
    hidden: bool,
    post_only: bool,
    slides: bool,
    /// Wants a better rank, and has it.
    comply: bool,
    complies: bool,
    rests: bool,
    all_or_none: bool,
    expires: Option<Time>,
    /// Its place in time.
    rank: u64,
    wait: Wait,
}

impl Order {
    /// The price at which it trades; the worst there is at market.
    fn trades_at(&self) -> i64 {
        match self.price {
            Some(price) if self.complies => price + self.side.sign(),
            Some(price) => price,
            None => self.side.sign() * i64::from(u32::MAX),
        }
    }

    fn meets(&self, side: Side, price: i64) -> bool {
        self.side != side && side.sign() * (price - self.trades_at()) >= 0
    }

    fn visible(&self) -> u64 {
        if self.hidden { 0 } else { self.slice }
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
enum Phase {
    #[default]
    Before,
    Open,
    Opening(Time),
    Reopening(Time),
    Closing,
    Closed,
}

impl Phase {
    fn is_call(self) -> bool {
        matches!(self, Self::Opening(_) | Self::Reopening(_) | Self::Closing)
    }
}

/// Orders that rest are listed in the order in which they came to rest.
#[derive(Default)]
pub(crate) struct Naive {
    pub(crate) band: Option<PriceBand>,
    /// By agent.
    pub(crate) limits: Vec<(AgentIndex, TraderLimits)>,
    pub(crate) venue: Venue,
    phase: Phase,
    /// What is due when; see `session.rs`.
    due: Vec<(Time, session::Due)>,
    at_limit_since: Option<Time>,
    breakers_used: usize,
    stopped: Vec<(AgentIndex, Reason)>,
    orders: Vec<Order>,
    waiting: Vec<Order>,
    ranks: u64,
    /// What everybody holds, in shares and cents.
    held: BTreeMap<AgentIndex, (i64, i64)>,
    reference: Option<i64>,
    /// What those with limits were charged, in micro-cents.
    fees: BTreeMap<AgentIndex, i128>,
    /// Recent trades: when, at what, how many shares of them count, and whether somebody with limits took part.
    trades: Vec<(Time, i64, i64, bool)>,
    /// The opening reference is among them, or was.
    is_rested: bool,
    prints: Vec<i64>,
    pub(crate) quote: Quote,
    first: Option<Price>,
    last: Option<Price>,
    volume: u64,
    now: Time,
    events: Vec<Event>,
}

impl Naive {
    /// Takes one step and appends what happens to `events`.
    pub(crate) fn step(&mut self, at: Time, step: &Step, agents: u32, events: &mut Vec<Event>) {
        self.do_what_is_due(at);
        self.begin(at);
        match *step {
            Step::Open => self.open(),
            Step::Close => self.close(agents),
            Step::Stop(agent) => {
                self.kill(agent, Reason::TraderStopped);
                self.settle();
            }
            Step::Request(agent, request) => {
                self.emit(EventKind::Request { agent, request });
                match self.complaint(agent, &request) {
                    Some(reason) => self.reject(agent, &request, reason),
                    None => {
                        self.act(agent, &request);
                        self.settle();
                    }
                }
            }
        }
        events.append(&mut self.events);
    }

    /// Time goes on: the mean of the recent trades is that of now.
    fn begin(&mut self, at: Time) {
        self.now = at;
        if let Some(band) = self.band.filter(|band| band.window.0 > 0) {
            self.reference = Some(self.mean(&band));
        }
    }

    pub(crate) fn depth(&self, side: Side) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        for order in self.orders.iter().filter(|order| order.side == side && order.visible() > 0) {
            let price = Price::clamped(order.price.expect("only limits rest"));
            match levels.iter_mut().find(|level| level.price == price) {
                Some(level) => level.quantity += order.visible(),
                None => levels.push(Level { price, quantity: order.visible() }),
            }
        }
        levels.sort_by_key(|level| -side.sign() * level.price.cents());
        levels
    }

    pub(crate) fn total(&self, side: Side) -> u64 {
        self.orders.iter().filter(|order| order.side == side).map(Order::visible).sum()
    }

    fn order_of(&self, agent: AgentIndex, id: OrderId, terms: &Terms) -> Order {
        let price = Some(i64::from(terms.price)).filter(|price| *price != 0);
        let stays = matches!(terms.time_in_force, TimeInForce::Day | TimeInForce::GoodTill);
        let trigger_at = i64::from(terms.trigger_at);
        let wait = match (terms.trigger, terms.time_in_force) {
            (Trigger::Stop, _) => Wait::Stop(trigger_at),
            (Trigger::Trail, _) => Wait::Trail { by: trigger_at, best: self.last.map(Price::cents) },
            (Trigger::None, TimeInForce::AtOpen) => Wait::Opening,
            (Trigger::None, TimeInForce::AtClose) => Wait::Closing,
            (Trigger::None, _) => Wait::Nothing,
        };
        Order {
            agent,
            id,
            side: terms.side,
            price,
            quantity: u64::from(terms.quantity),
            slice: 0,
            peak: if terms.display == Display::Iceberg { u64::from(terms.shown) } else { 0 },
            hidden: terms.display == Display::Hidden,
            post_only: terms.post_only != PostOnly::No,
            slides: terms.post_only == PostOnly::Slide,
            comply: terms.display == Display::Comply,
            complies: false,
            rests: stays && price.is_some(),
            all_or_none: terms.time_in_force == TimeInForce::FillOrKill,
            expires: Some(terms.expires).filter(|_| terms.time_in_force == TimeInForce::GoodTill),
            rank: 0,
            wait,
        }
    }

    /// Requests in the general form: an order's terms, if it makes one.
    fn terms_of(request: &Request) -> Option<Terms> {
        match request.kind {
            RequestKind::Order(terms) => Some(terms),
            RequestKind::Market { side, quantity } => Some(Terms::market(side, quantity)),
            RequestKind::Limit { side, price, quantity, qualifiers } => {
                let terms = Terms::limit(side, price, quantity);
                let terms = if qualifiers.hidden { terms.shown_as(Display::Hidden) } else { terms };
                Some(if qualifiers.post_only { terms.post_only(PostOnly::Reject) } else { terms })
            }
            _ => None,
        }
    }

    fn act(&mut self, agent: AgentIndex, request: &Request) {
        let id = request.id;
        if let Some(terms) = Self::terms_of(request) {
            let order = self.order_of(agent, id, &terms);
            self.accept(order);
            return;
        }
        match request.kind {
            RequestKind::Cancel { order } => {
                let order = self.take_out(agent, order).expect("checked for complaints");
                self.cancelled(&order, id, Reason::Requested);
            }
            RequestKind::CancelAll => {
                let count = self.cancel_all(agent, Reason::Requested);
                self.answer(agent, id, id, 0, UpdateKind::CancelledAll { count });
            }
            RequestKind::Modify { order, price, quantity } if self.waits(agent, order).is_some() => {
                let place = self.waits(agent, order).expect("just found");
                let old = self.waiting[place];
                self.answer(agent, id, order, quantity, UpdateKind::Modified { price: Price::clamped(price) });
                if old.price == Some(price) && quantity <= old.quantity {
                    self.waiting[place].quantity = quantity;
                } else {
                    let order = self.waiting.remove(place);
                    self.waiting.push(Order { price: Some(price), quantity, ..order });
                }
            }
            RequestKind::Modify { order, price, quantity } => {
                let place = self.resting(agent, order).expect("checked for complaints");
                let old = self.orders[place];
                let price = self.passive_price(&old, price).expect("checked for complaints");
                self.answer(agent, id, order, quantity, UpdateKind::Modified { price: Price::clamped(price) });
                if old.price == Some(price) && quantity <= old.quantity {
                    self.shrink(agent, order, old.quantity - quantity);
                } else {
                    self.orders.remove(place);
                    self.enter(Order { price: Some(price), quantity, comply: old.complies, ..old });
                }
            }
            RequestKind::Reduce { order, by } => {
                let left = self.quantity_of(agent, order);
                if by < left {
                    self.shrink(agent, order, by);
                    self.answer(agent, id, order, left - by, UpdateKind::Reduced { by: by as u32 });
                } else {
                    let order = self.take_out(agent, order).expect("checked for complaints");
                    self.cancelled(&order, id, Reason::Requested);
                }
            }
            RequestKind::Replace { order, price, quantity } => {
                let place = self.resting(agent, order).expect("checked for complaints");
                let old = self.orders[place];
                // By the book in which the old order still rests: its own side does not matter.
                let slid = self.passive_price(&old, price).expect("checked for complaints");
                self.orders.remove(place);
                self.cancelled(&old, id, Reason::Replaced);
                self.answer(agent, id, id, quantity, UpdateKind::Accepted);
                if slid != price {
                    self.answer(agent, id, id, quantity, UpdateKind::Modified { price: Price::clamped(slid) });
                }
                if let Some(date) = old.expires {
                    self.due.push((date, session::Due::Expire(agent, id)));
                }
                self.enter(Order { id, price: Some(slid), quantity, comply: old.complies, ..old });
            }
            _ => unreachable!("the others make orders"),
        }
    }

    fn accept(&mut self, mut order: Order) {
        let (agent, id) = (order.agent, order.id);
        self.answer(agent, id, id, order.quantity, UpdateKind::Accepted);
        if let Some(price) = order.price {
            let slid = self.passive_price(&order, price).expect("checked for complaints");
            order.price = Some(slid);
            if slid != price {
                self.answer(agent, id, id, order.quantity, UpdateKind::Modified { price: Price::clamped(slid) });
            }
        }
        if let Some(date) = order.expires {
            self.due.push((date, session::Due::Expire(agent, id)));
        }
        let last = self.last.map(Price::cents);
        match order.wait {
            Wait::Nothing => self.enter(order),
            Wait::Stop(stop) if last.is_some_and(|last| order.side.sign() * (last - stop) >= 0) => self.trigger(order),
            _ => self.waiting.push(order),
        }
    }

    /// Trades, then rests, or waits for the auction that is being called.
    fn enter(&mut self, mut order: Order) {
        // Whatever it was before, it has no place now.
        (order.wait, order.complies, order.rank) = (Wait::Nothing, false, 0);
        if self.phase.is_call() {
            order.wait = Wait::Call;
            self.waiting.push(order);
            return;
        }
        let Some(mut rest) = self.trade(order) else { return };
        if !order.rests {
            self.cancelled(&rest, rest.id, Reason::NoLiquidity);
            return;
        }
        rest.slice = if rest.peak > 0 { rest.peak.min(rest.quantity) } else { rest.quantity };
        rest.complies = false;
        let better = rest.price.expect("only limits rest") + rest.side.sign();
        let free = !self.orders.iter().any(|other| other.meets(rest.side, better));
        rest.complies = rest.comply && free && Price::new(better).is_some();
        self.ranks += 1;
        rest.rank = self.ranks;
        self.orders.push(rest);
    }

    /// Trades what it can; what is left, unless it was cancelled for meeting an order of its own trader.
    fn trade(&mut self, mut taker: Order) -> Option<Order> {
        let worst = taker.price.unwrap_or_else(|| self.edge(taker.side).unwrap_or(taker.trades_at()));
        while taker.quantity > 0 {
            let candidates = self.orders.iter().enumerate().filter(|(_, order)| order.meets(taker.side, worst));
            let rank =
                |order: &Order| (taker.side.sign() * order.trades_at(), order.hidden || order.complies, order.rank);
            let Some((place, _)) = candidates.min_by_key(|(_, order)| rank(order)) else { return Some(taker) };
            let own = self.orders[place].agent == taker.agent && self.venue.self_trade != SelfTrade::Allow;
            if own {
                if self.meet_own(place, &mut taker) {
                    continue;
                }
                return None;
            }
            let quantity = self.orders[place].slice.min(taker.quantity);
            let price = self.orders[place].trades_at();
            taker.quantity -= quantity;
            let maker = self.fill(place, quantity);
            self.record_trade(&maker, &taker, quantity, price);
        }
        None
    }

    /// Takes traded shares off a resting order: what is left of it, which rests on if it is something.
    fn fill(&mut self, place: usize, quantity: u64) -> Order {
        let order = &mut self.orders[place];
        order.quantity -= quantity;
        order.slice -= quantity;
        if order.slice == 0 {
            order.slice = order.peak.min(order.quantity);
            self.ranks += 1;
            order.rank = self.ranks;
        }
        let filled = *order;
        if filled.quantity == 0 {
            self.orders.remove(place);
        }
        filled
    }

    /// Whether the taker goes on after it has met one of its own.
    fn meet_own(&mut self, place: usize, taker: &mut Order) -> bool {
        let own = self.orders[place];
        let by = own.quantity.min(taker.quantity);
        match self.venue.self_trade {
            SelfTrade::CancelOldest => {
                self.orders.remove(place);
                self.cancelled(&own, own.id, Reason::SelfTrade);
                return true;
            }
            SelfTrade::Decrement => {
                taker.quantity -= by;
                if own.quantity == by {
                    self.orders.remove(place);
                    self.cancelled(&own, own.id, Reason::SelfTrade);
                } else {
                    self.shrink(own.agent, own.id, by);
                    let reduced = UpdateKind::Reduced { by: by as u32 };
                    self.answer(own.agent, own.id, own.id, own.quantity - by, reduced);
                }
                if taker.quantity > 0 {
                    let reduced = UpdateKind::Reduced { by: by as u32 };
                    self.answer(taker.agent, taker.id, taker.id, taker.quantity, reduced);
                    return true;
                }
            }
            SelfTrade::CancelNewest | SelfTrade::Allow => {}
        }
        self.cancelled(taker, taker.id, Reason::SelfTrade);
        false
    }

    /// `maker` and `taker` as they are after the trade.
    fn record_trade(&mut self, maker: &Order, taker: &Order, shares: u64, cents: i64) {
        let (price, quantity) = (Price::clamped(cents), shares as u32);
        self.last = Some(price);
        self.first = self.first.or(self.last);
        self.volume += shares;
        self.note(cents, shares, [(maker.agent, Liquidity::Maker), (taker.agent, Liquidity::Taker)]);
        self.prints.push(cents);
        if self.band.is_some_and(|band| band.window.0 == 0) {
            self.reference = Some(cents);
        }
        let ids = |order: &Order| (order.agent, order.id);
        self.emit(EventKind::Trade { price, quantity, taker_side: taker.side, maker: ids(maker), taker: ids(taker) });
        for (order, liquidity) in [(maker, Liquidity::Maker), (taker, Liquidity::Taker)] {
            let (held, cash) = self.held.entry(order.agent).or_default();
            let signed = order.side.sign() * i64::from(quantity);
            (*held, *cash) = (*held + signed, *cash - signed * cents);
            let kind = UpdateKind::Fill { price, quantity, liquidity };
            self.answer(order.agent, order.id, order.id, order.quantity, kind);
        }
    }

    fn cancel_all(&mut self, agent: AgentIndex, reason: Reason) -> u32 {
        let (mut gone, kept): (Vec<Order>, Vec<Order>) = self.orders.iter().partition(|order| order.agent == agent);
        self.orders = kept;
        let (mut waited, kept): (Vec<Order>, Vec<Order>) = self.waiting.iter().partition(|order| order.agent == agent);
        self.waiting = kept;
        waited.sort_by_key(|order| order.id);
        gone.append(&mut waited);
        for order in &gone {
            self.cancelled(order, order.id, reason);
        }
        gone.len() as u32
    }

    fn resting(&self, agent: AgentIndex, order: OrderId) -> Option<usize> {
        self.orders.iter().position(|candidate| candidate.agent == agent && candidate.id == order)
    }

    fn waits(&self, agent: AgentIndex, order: OrderId) -> Option<usize> {
        self.waiting.iter().position(|candidate| candidate.agent == agent && candidate.id == order)
    }

    fn quantity_of(&self, agent: AgentIndex, order: OrderId) -> u64 {
        let resting = self.resting(agent, order).map(|place| &self.orders[place]);
        resting.or_else(|| self.waits(agent, order).map(|place| &self.waiting[place])).map_or(0, |order| order.quantity)
    }

    fn take_out(&mut self, agent: AgentIndex, order: OrderId) -> Option<Order> {
        match self.resting(agent, order) {
            Some(place) => Some(self.orders.remove(place)),
            None => self.waits(agent, order).map(|place| self.waiting.remove(place)),
        }
    }

    /// Takes shares off an order that rests or waits; it keeps its place. Hidden shares of an iceberg go first.
    fn shrink(&mut self, agent: AgentIndex, order: OrderId, by: u64) {
        if let Some(place) = self.resting(agent, order) {
            let order = &mut self.orders[place];
            order.quantity -= by;
            order.slice = order.slice.min(order.quantity);
        } else if let Some(place) = self.waits(agent, order) {
            self.waiting[place].quantity -= by;
        }
    }

    fn reject(&mut self, agent: AgentIndex, request: &Request, reason: Reason) {
        let order = match request.kind {
            RequestKind::Cancel { order } | RequestKind::Modify { order, .. } | RequestKind::Reduce { order, .. } => {
                order
            }
            _ => request.id,
        };
        let remaining = self.quantity_of(agent, order);
        self.answer(agent, request.id, order, remaining, UpdateKind::Rejected { reason });
    }

    fn cancelled(&mut self, order: &Order, request: OrderId, reason: Reason) {
        self.answer(order.agent, request, order.id, 0, UpdateKind::Cancelled { reason });
    }

    fn answer(&mut self, agent: AgentIndex, request: OrderId, order: OrderId, remaining: u64, kind: UpdateKind) {
        let update = OrderUpdate { request, order, at: self.now, remaining: remaining as u32, kind };
        self.emit(EventKind::Update { agent, update });
    }

    fn publish(&mut self) {
        if self.phase == Phase::Closed {
            return;
        }
        let top = |side| self.top(side);
        let (bid, ask, last, volume) = (top(Side::Buy), top(Side::Sell), self.last, self.volume);
        let old = self.quote;
        if (old.bid, old.ask, old.last, old.volume) != (bid, ask, last, volume) {
            self.quote = Quote { sequence: old.sequence + 1, at: self.now, bid, ask, last, volume };
            self.emit(EventKind::Quote(self.quote));
        }
    }

    fn top(&self, side: Side) -> Option<Level> {
        let visible = || self.orders.iter().filter(move |order| order.side == side && order.visible() > 0);
        let best = visible().filter_map(|order| order.price).max_by_key(|price| side.sign() * price)?;
        let quantity = visible().filter(|order| order.price == Some(best)).map(Order::visible).sum();
        Some(Level { price: Price::new(best)?, quantity })
    }

    fn emit(&mut self, kind: EventKind) {
        self.events.push(Event { at: self.now, symbol: SymbolIndex::FIRST, kind });
    }
}
