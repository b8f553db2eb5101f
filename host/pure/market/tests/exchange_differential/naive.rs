//! A reference exchange that is slow and plain: one list of orders, searched from end to end for everything.
//!
//! It shares no code with the real one beyond the vocabulary.

use crate::stream::Step;
use assay_market::{AgentIndex, Event, EventKind, OPEN_ORDERS_MAX};
use assay_model::{
    Level, Liquidity, OrderId, OrderUpdate, PRICE_MAX_CENTS, Price, QUANTITY_MAX, Qualifiers, Quote, Reason, Request,
    RequestKind, Side, Time, UpdateKind,
};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
struct Order {
    agent: AgentIndex,
    id: OrderId,
    side: Side,
    price: i64,
    quantity: u64,
    qualifiers: Qualifiers,
}

/// Orders are listed in the order in which they took their place.
#[derive(Default)]
pub(crate) struct Naive {
    opened: bool,
    closed: bool,
    /// Reference before the first trade and basis points.
    pub(crate) band: Option<(i64, i64)>,
    /// Who may hold at most so many shares.
    pub(crate) position_limit: Option<(AgentIndex, i64)>,
    /// What everybody holds.
    held: BTreeMap<AgentIndex, i64>,
    stopped: Vec<AgentIndex>,
    orders: Vec<Order>,
    pub(crate) quote: Quote,
    last: Option<Price>,
    volume: u64,
    now: Time,
    events: Vec<Event>,
}

impl Naive {
    /// Takes one step and appends what happens to `events`.
    pub(crate) fn step(&mut self, at: Time, step: &Step, agents: u32, events: &mut Vec<Event>) {
        self.now = at;
        match *step {
            Step::Open => {
                self.opened = true;
                self.emit(EventKind::Opened);
            }
            Step::Close => {
                self.closed = true;
                self.emit(EventKind::Closed);
                for agent in 0..agents {
                    self.cancel_all(AgentIndex(agent), Reason::MarketClosed);
                }
            }
            Step::Stop(agent) => {
                self.stopped.push(agent);
                self.cancel_all(agent, Reason::TraderStopped);
                self.publish();
            }
            Step::Request(agent, request) => {
                self.emit(EventKind::Request { agent, request });
                match self.complaint(agent, &request) {
                    Some(reason) => self.reject(agent, &request, reason),
                    None => self.act(agent, &request),
                }
                self.publish();
            }
        }
        events.append(&mut self.events);
    }

    pub(crate) fn depth(&self, side: Side) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        for order in self.orders.iter().filter(|order| order.side == side && !order.qualifiers.hidden) {
            match levels.iter_mut().find(|level| level.price.cents() == order.price) {
                Some(level) => level.quantity += order.quantity,
                None => levels.push(Level { price: Price::clamped(order.price), quantity: order.quantity }),
            }
        }
        levels.sort_by_key(|level| -side.sign() * level.price.cents());
        levels
    }

    pub(crate) fn total(&self, side: Side) -> u64 {
        let visible = self.orders.iter().filter(|order| order.side == side && !order.qualifiers.hidden);
        visible.map(|order| order.quantity).sum()
    }

    fn complaint(&self, agent: AgentIndex, request: &Request) -> Option<Reason> {
        if !self.opened {
            return Some(Reason::MarketNotOpen);
        }
        if self.closed {
            return Some(Reason::MarketClosed);
        }
        if self.stopped.contains(&agent) {
            return Some(Reason::TraderStopped);
        }
        let (order, price, quantity) = match request.kind {
            RequestKind::Limit { price, quantity, .. } => (None, Some(price), Some(quantity)),
            RequestKind::Market { quantity, .. } => (None, None, Some(quantity)),
            RequestKind::Cancel { order } => (Some(order), None, None),
            RequestKind::CancelAll => (None, None, None),
            RequestKind::Modify { order, price, quantity } | RequestKind::Replace { order, price, quantity } => {
                (Some(order), Some(price), Some(quantity))
            }
            RequestKind::Reduce { order, by } => (Some(order), None, Some(by.min(QUANTITY_MAX))),
        };
        if price.is_some_and(|price| price <= 0 || price > PRICE_MAX_CENTS) {
            return Some(Reason::InvalidPrice);
        }
        if quantity.is_some_and(|quantity| quantity == 0 || quantity > QUANTITY_MAX) {
            return Some(Reason::InvalidQuantity);
        }
        if price.is_some_and(|price| self.is_outside(price)) {
            return Some(Reason::OutsideBand);
        }
        if order.is_some_and(|order| self.position(agent, order).is_none()) {
            return Some(Reason::UnknownOrder);
        }
        let is_limit = matches!(request.kind, RequestKind::Limit { .. });
        if is_limit && self.orders.iter().filter(|order| order.agent == agent).count() >= OPEN_ORDERS_MAX as usize {
            return Some(Reason::TooManyOpenOrders);
        }
        if self.goes_beyond_the_limit(agent, request) {
            return Some(Reason::PositionLimit);
        }
        let (side, price, qualifiers) = match request.kind {
            RequestKind::Limit { side, price, qualifiers, .. } => (side, price, qualifiers),
            RequestKind::Modify { order, price, .. } | RequestKind::Replace { order, price, .. } => {
                let old = self.orders[self.position(agent, order)?];
                (old.side, price, old.qualifiers)
            }
            _ => return None,
        };
        let meets = |order: &Order| order.side != side && side.sign() * (price - order.price) >= 0;
        (qualifiers.post_only && self.orders.iter().any(meets)).then_some(Reason::WouldTrade)
    }

    /// Everything the trader holds and everything that could trade on the request's side, once the request is granted.
    fn goes_beyond_the_limit(&self, agent: AgentIndex, request: &Request) -> bool {
        let Some((_, limit)) = self.position_limit.filter(|(limited, _)| *limited == agent) else { return false };
        let (side, quantity, old) = match request.kind {
            RequestKind::Limit { side, quantity, .. } | RequestKind::Market { side, quantity } => {
                (side, quantity, None)
            }
            RequestKind::Modify { order, quantity, .. } | RequestKind::Replace { order, quantity, .. } => {
                match self.position(agent, order) {
                    Some(place) => (self.orders[place].side, quantity, Some(order)),
                    None => return false,
                }
            }
            _ => return false,
        };
        let held = self.held.get(&agent).copied().unwrap_or_default();
        let others = self.orders.iter().filter(|order| order.agent == agent && order.side == side);
        let open: u64 = others.filter(|order| Some(order.id) != old).map(|order| order.quantity).sum();
        held * side.sign() + (open + quantity) as i64 > limit
    }

    /// By the definition, in fractions: further away than the share allows, and further than a cent.
    fn is_outside(&self, price: i64) -> bool {
        self.band.is_some_and(|(opening_reference, basis_points)| {
            let reference = self.last.map_or(opening_reference, Price::cents);
            let distance = (price - reference).abs();
            distance > 1 && distance * 10_000 > basis_points * reference
        })
    }

    fn act(&mut self, agent: AgentIndex, request: &Request) {
        let id = request.id;
        match request.kind {
            RequestKind::Limit { side, price, quantity, qualifiers } => {
                self.answer(agent, id, id, quantity, UpdateKind::Accepted);
                self.enter(Order { agent, id, side, price, quantity, qualifiers });
            }
            RequestKind::Market { side, quantity } => {
                self.answer(agent, id, id, quantity, UpdateKind::Accepted);
                let mut price = side.sign() * i64::from(u32::MAX);
                if let Some((opening_reference, basis_points)) = self.band {
                    let reference = self.last.map_or(opening_reference, Price::cents);
                    price = reference + side.sign() * (basis_points * reference / 10_000).max(1);
                }
                let order = Order { agent, id, side, price, quantity, qualifiers: Qualifiers::default() };
                if let Some(order) = self.trade(order) {
                    self.cancelled(order, id, Reason::NoLiquidity);
                }
            }
            RequestKind::Cancel { order } => {
                let order = self.take_out(agent, order);
                self.cancelled(order, id, Reason::Requested);
            }
            RequestKind::CancelAll => {
                let count = self.cancel_all(agent, Reason::Requested);
                self.answer(agent, id, id, 0, UpdateKind::CancelledAll { count });
            }
            RequestKind::Modify { order, price, quantity } => {
                self.answer(agent, id, order, quantity, UpdateKind::Modified { price: Price::clamped(price) });
                let place = self.position(agent, order).expect("checked for complaints");
                let old = &mut self.orders[place];
                if old.price == price && quantity <= old.quantity {
                    old.quantity = quantity;
                } else {
                    let old = self.orders.remove(place);
                    self.enter(Order { price, quantity, ..old });
                }
            }
            RequestKind::Reduce { order, by } => {
                let place = self.position(agent, order).expect("checked for complaints");
                let old = &mut self.orders[place];
                if by < old.quantity {
                    old.quantity -= by;
                    let left = old.quantity;
                    self.answer(agent, id, order, left, UpdateKind::Reduced { by: by as u32 });
                } else {
                    let order = self.orders.remove(place);
                    self.cancelled(order, id, Reason::Requested);
                }
            }
            RequestKind::Replace { order, price, quantity } => {
                let old = self.take_out(agent, order);
                self.cancelled(old, id, Reason::Replaced);
                self.answer(agent, id, id, quantity, UpdateKind::Accepted);
                self.enter(Order { id, price, quantity, ..old });
            }
        }
    }

    fn enter(&mut self, order: Order) {
        if let Some(rest) = self.trade(order) {
            self.orders.push(rest);
        }
    }

    /// Trades what it can; what is left, unless it was cancelled for meeting an order of its own trader.
    fn trade(&mut self, mut taker: Order) -> Option<Order> {
        while taker.quantity > 0 {
            let candidates = self.orders.iter().enumerate().filter(|(_, order)| order.side != taker.side);
            let rank = |order: &Order| (taker.side.sign() * order.price, order.qualifiers.hidden);
            // The first of equals wins: the list is in time order.
            let Some((place, _)) = candidates.min_by_key(|(_, order)| rank(order)) else { return Some(taker) };
            let maker = &mut self.orders[place];
            if taker.side.sign() * (taker.price - maker.price) < 0 {
                return Some(taker);
            }
            if maker.agent == taker.agent {
                self.cancelled(taker, taker.id, Reason::SelfTrade);
                return None;
            }
            let quantity = maker.quantity.min(taker.quantity);
            maker.quantity -= quantity;
            taker.quantity -= quantity;
            let maker = *maker;
            if maker.quantity == 0 {
                self.orders.remove(place);
            }
            self.record_trade(&maker, &taker, quantity);
        }
        None
    }

    fn record_trade(&mut self, maker: &Order, taker: &Order, shares: u64) {
        let (price, quantity) = (Price::clamped(maker.price), shares as u32);
        self.last = Some(price);
        self.volume += shares;
        let ids = |order: &Order| (order.agent, order.id);
        self.emit(EventKind::Trade { price, quantity, taker_side: taker.side, maker: ids(maker), taker: ids(taker) });
        for (order, liquidity) in [(maker, Liquidity::Maker), (taker, Liquidity::Taker)] {
            let kind = UpdateKind::Fill { price, quantity, liquidity };
            *self.held.entry(order.agent).or_default() += order.side.sign() * i64::from(quantity);
            self.answer(order.agent, order.id, order.id, order.quantity, kind);
        }
    }

    fn cancel_all(&mut self, agent: AgentIndex, reason: Reason) -> u32 {
        let (gone, kept): (Vec<Order>, Vec<Order>) = self.orders.iter().partition(|order| order.agent == agent);
        self.orders = kept;
        for order in &gone {
            self.cancelled(*order, order.id, reason);
        }
        gone.len() as u32
    }

    fn position(&self, agent: AgentIndex, order: OrderId) -> Option<usize> {
        self.orders.iter().position(|candidate| candidate.agent == agent && candidate.id == order)
    }

    fn take_out(&mut self, agent: AgentIndex, order: OrderId) -> Order {
        let place = self.position(agent, order).expect("checked for complaints");
        self.orders.remove(place)
    }

    fn reject(&mut self, agent: AgentIndex, request: &Request, reason: Reason) {
        let order = match request.kind {
            RequestKind::Cancel { order } | RequestKind::Modify { order, .. } | RequestKind::Reduce { order, .. } => {
                order
            }
            _ => request.id,
        };
        let remaining = self.position(agent, order).map_or(0, |place| self.orders[place].quantity);
        self.answer(agent, request.id, order, remaining, UpdateKind::Rejected { reason });
    }

    fn cancelled(&mut self, order: Order, request: OrderId, reason: Reason) {
        self.answer(order.agent, request, order.id, 0, UpdateKind::Cancelled { reason });
    }

    fn answer(&mut self, agent: AgentIndex, request: OrderId, order: OrderId, remaining: u64, kind: UpdateKind) {
        let update = OrderUpdate { request, order, at: self.now, remaining: remaining as u32, kind };
        self.emit(EventKind::Update { agent, update });
    }

    fn publish(&mut self) {
        if self.closed {
            return;
        }
        let top = |side| {
            let visible = || self.orders.iter().filter(move |order| order.side == side && !order.qualifiers.hidden);
            let best = visible().map(|order| order.price).max_by_key(|price| side.sign() * price)?;
            let quantity = visible().filter(|order| order.price == best).map(|order| order.quantity).sum();
            Some(Level { price: Price::new(best)?, quantity })
        };
        let (bid, ask, last, volume) = (top(Side::Buy), top(Side::Sell), self.last, self.volume);
        let old = self.quote;
        if (old.bid, old.ask, old.last, old.volume) != (bid, ask, last, volume) {
            self.quote = Quote { sequence: old.sequence + 1, at: self.now, bid, ask, last, volume };
            self.emit(EventKind::Quote(self.quote));
        }
    }

    fn emit(&mut self, kind: EventKind) {
        self.events.push(Event { at: self.now, kind });
    }
}
