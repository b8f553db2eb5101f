//! What each kind of request does, and the checks that come before. An order with the rarer terms goes on in `enter.rs`.

use super::margin::{Marks, Open};
use super::{Answers, Call, Entry, Exchange, OPEN_ORDERS_MAX, Phase, Stay};
use crate::book::{Handle, Resting, Style};
use crate::{AgentIndex, EventSink};
use assay_model::{OrderId, Price, Qualifiers, Quantity, Reason, Request, RequestKind, Side, Terms, Time, UpdateKind};

/// A modify or replace that has passed its checks.
struct Change {
    handle: Handle,
    old: Resting,
    style: Style,
    /// The price asked for, or the one it slides to.
    price: Price,
    quantity: u32,
    slid: bool,
}

impl Exchange {
    #[inline(always)]
    pub(super) fn check_hours(&self, at: Time, agent: AgentIndex) -> Result<(), Reason> {
        let is_open = matches!(self.phase, Phase::Open | Phase::Call(_));
        if is_open && (agent < self.first_late || self.has_come(agent, at)) && self.accounts.stopped(agent).is_none() {
            Ok(())
        } else {
            Err(self.why_not(agent))
        }
    }

    /// Whether the market is open for somebody who may be let in late.
    #[inline(never)]
    fn has_come(&self, agent: AgentIndex, at: Time) -> bool {
        let place = self.latecomers.binary_search_by_key(&agent, |(late, _)| *late);
        place.ok().is_none_or(|place| at >= self.latecomers[place].1)
    }

    #[cold]
    fn why_not(&self, agent: AgentIndex) -> Reason {
        match self.phase {
            Phase::BeforeOpen => Reason::MarketNotOpen,
            Phase::Closed => Reason::MarketClosed,
            Phase::Open | Phase::Call(_) => self.accounts.stopped(agent).unwrap_or(Reason::MarketNotOpen),
        }
    }

    /// Does what is asked and answers, or returns why not and has changed nothing.
    #[inline]
    pub(super) fn act<O: EventSink + ?Sized>(
        &mut self,
        agent: AgentIndex,
        request: &Request,
        answers: &mut Answers<'_, O>,
    ) -> Result<(), Reason> {
        let id = request.id;
        match request.kind {
            RequestKind::Limit { side, price, quantity, qualifiers } => {
                let (price, quantity) = self.check_terms(price, quantity)?;
                self.check_room(agent)?;
                self.check_account(agent, side, Open { limit: Some(price), shares: quantity }, None)?;
                self.passive(side, price, qualifiers, Style::PLAIN)?;
                answers.update(agent, id, id, quantity, UpdateKind::Accepted);
                self.enter_limit(Resting { agent, id, side, price, quantity, qualifiers }, Style::PLAIN, answers);
            }
            RequestKind::Market { side, quantity } if self.is_continuous() => {
                let quantity = check_quantity(quantity)?;
                self.check_account(agent, side, Open { limit: None, shares: quantity }, None)?;
                answers.update(agent, id, id, quantity, UpdateKind::Accepted);
                let worst = self.notes.limits().map(|band| band.edge(side));
                let taken = self.take(side, worst, quantity, (agent, id), answers);
                self.cancel_rest((agent, id), taken, answers);
            }
            RequestKind::Market { side, quantity } => {
                self.order(agent, id, &Terms::market(side, quantity), answers)?;
            }
            RequestKind::Order(terms) => self.order(agent, id, &terms, answers)?,
            RequestKind::Cancel { order } => {
                if let Some(handle) = self.accounts.find(agent, order) {
                    self.remove(handle);
                    answers.update(agent, id, order, 0, UpdateKind::Cancelled { reason: Reason::Requested });
                } else if !self.cancel_one(agent, order, id, Reason::Requested, answers) {
                    return Err(Reason::UnknownOrder);
                }
            }
            RequestKind::CancelAll => {
                let count = self.cancel_all(agent, Reason::Requested, answers);
                answers.update(agent, id, id, 0, UpdateKind::CancelledAll { count });
            }
            RequestKind::Modify { order, price, quantity } => match self.check_change(agent, order, price, quantity) {
                Ok(change) => self.modify(id, &change, answers),
                Err(Reason::OrderWaits) => self.modify_waiting(id, (agent, order), (price, quantity), answers)?,
                Err(reason) => return Err(reason),
            },
            RequestKind::Reduce { order, by } => self.reduce_by(agent, id, order, by, answers)?,
            RequestKind::Replace { order, price, quantity } => {
                let change = self.check_change(agent, order, price, quantity)?;
                self.replace(id, &change, answers);
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn check_change(&mut self, agent: AgentIndex, order: OrderId, price: i64, quantity: u64) -> Result<Change, Reason> {
        let (asked, quantity) = self.check_terms(price, quantity)?;
        let Some((handle, old)) = self.find(agent, order) else {
            let waits = self.waiting.find(agent, order).is_some();
            return Err(if waits { Reason::OrderWaits } else { Reason::UnknownOrder });
        };
        let (new, before) =
            (Open { limit: Some(asked), shares: quantity }, Open { limit: Some(old.price), shares: old.quantity });
        self.check_account(agent, old.side, new, Some(before))?;
        let style = self.book.style(handle);
        let price = self.passive(old.side, asked, old.qualifiers, style)?;
        Ok(Change { handle, old, style, price, quantity, slid: price != asked })
    }

    #[inline(never)]
    fn modify<O: EventSink + ?Sized>(&mut self, id: OrderId, change: &Change, answers: &mut Answers<'_, O>) {
        let Change { handle, old, style, price, quantity, .. } = *change;
        answers.update(old.agent, id, old.id, quantity, UpdateKind::Modified { price });
        if price == old.price && quantity <= old.quantity {
            self.reduce(handle, &old, old.quantity - quantity);
        } else {
            self.remove(handle);
            self.enter_styled(Resting { price, quantity, ..old }, style, answers);
        }
    }

    /// Sets limit and remaining quantity of an order that waits, if it has a limit.
    #[inline(never)]
    fn modify_waiting<O: EventSink + ?Sized>(
        &mut self,
        id: OrderId,
        (agent, order): (AgentIndex, OrderId),
        (price, quantity): (i64, u64),
        answers: &mut Answers<'_, O>,
    ) -> Result<(), Reason> {
        let (price, quantity) = self.check_terms(price, quantity)?;
        let number = self.waiting.find(agent, order).ok_or(Reason::UnknownOrder)?;
        let (old, wait) = self.waiting.get(number).ok_or(Reason::UnknownOrder)?;
        let before = old.limit.ok_or(Reason::OrderWaits)?;
        let new = Open { limit: Some(price), shares: quantity };
        self.check_account(agent, old.side, new, Some(Open { limit: old.limit, shares: old.quantity }))?;
        answers.update(agent, id, order, quantity, UpdateKind::Modified { price });
        if price == before && quantity <= old.quantity {
            self.reduce_waiting(number, old.quantity - quantity);
        } else {
            self.unpark(number);
            self.park(Entry { limit: Some(price), quantity, ..old }, wait);
        }
        Ok(())
    }

    #[inline(never)]
    fn replace<O: EventSink + ?Sized>(&mut self, id: OrderId, change: &Change, answers: &mut Answers<'_, O>) {
        let Change { handle, old, style, price, quantity, slid } = *change;
        let agent = old.agent;
        self.remove(handle);
        answers.update(agent, id, old.id, 0, UpdateKind::Cancelled { reason: Reason::Replaced });
        answers.update(agent, id, id, quantity, UpdateKind::Accepted);
        if slid {
            answers.update(agent, id, id, quantity, UpdateKind::Modified { price });
        }
        if let Some(date) = self.agenda.date(agent, old.id) {
            self.agenda.expires(agent, id, date);
        }
        self.enter_styled(Resting { id, price, quantity, ..old }, style, answers);
    }

    #[inline(never)]
    fn reduce_by<O: EventSink + ?Sized>(
        &mut self,
        agent: AgentIndex,
        id: OrderId,
        order: OrderId,
        by: u64,
        answers: &mut Answers<'_, O>,
    ) -> Result<(), Reason> {
        if by == 0 {
            return Err(Reason::InvalidQuantity);
        }
        let remaining = self.remaining(agent, order);
        // More shares than a u32 holds are more than any order has.
        let by = u32::try_from(by).unwrap_or(u32::MAX).min(remaining);
        if by == remaining {
            let found = self.cancel_one(agent, order, id, Reason::Requested, answers);
            return if found { Ok(()) } else { Err(Reason::UnknownOrder) };
        }
        if let Some((handle, old)) = self.find(agent, order) {
            self.reduce(handle, &old, by);
        } else if let Some(number) = self.waiting.find(agent, order) {
            self.reduce_waiting(number, by);
        }
        answers.update(agent, id, order, remaining - by, UpdateKind::Reduced { by });
        Ok(())
    }

    #[inline(always)]
    fn check_terms(&self, price: i64, quantity: u64) -> Result<(Price, u32), Reason> {
        let price = Price::new(price).ok_or(Reason::InvalidPrice)?;
        let quantity = check_quantity(quantity)?;
        self.check_band(price)?;
        Ok((price, quantity))
    }

    #[inline(always)]
    pub(super) fn check_band(&self, price: Price) -> Result<(), Reason> {
        let outside = self.notes.band.as_ref().is_some_and(|band| !band.contains(price));
        if outside { Err(Reason::OutsideBand) } else { Ok(()) }
    }

    #[inline(always)]
    pub(super) fn check_room(&self, agent: AgentIndex) -> Result<(), Reason> {
        let mut open = self.accounts.resting(agent);
        if !self.waiting.is_empty() {
            open += self.waiting.count_of(agent);
        }
        if open >= OPEN_ORDERS_MAX { Err(Reason::TooManyOpenOrders) } else { Ok(()) }
    }

    /// Whether the trader may have `new` to trade in place of an `old` order that is open: position limit, then buying power.
    #[inline(always)]
    pub(super) fn check_account(
        &mut self,
        agent: AgentIndex,
        side: Side,
        new: Open,
        old: Option<Open>,
    ) -> Result<(), Reason> {
        let Some(exposure) = self.notes.exposures.of(agent) else { return Ok(()) };
        if !exposure.allows(side, new.shares, old.map_or(0, |old| old.shares)) {
            return Err(Reason::PositionLimit);
        }
        self.check_power(agent, side, new, old)
    }

    #[inline(never)]
    pub(super) fn check_power(
        &mut self,
        agent: AgentIndex,
        side: Side,
        new: Open,
        old: Option<Open>,
    ) -> Result<(), Reason> {
        let Some(marks) = self.marks() else { return Ok(()) };
        let Some(exposure) = self.notes.exposures.of_mut(agent) else { return Ok(()) };
        if exposure.affords(side, new, old, &marks) { Ok(()) } else { Err(Reason::BuyingPower) }
    }

    /// The prices by which accounts are judged: those of the band. One that forbids nothing has no edge to judge by.
    pub(super) fn marks(&self) -> Option<Marks> {
        let band = self.notes.band.as_ref()?;
        let reference = band.reference();
        let at_market = [Side::Buy, Side::Sell].map(|side| if band.is_limited() { band.edge(side) } else { reference });
        Some(Marks { reference, at_market })
    }

    /// The price at which an order can be entered without breaking its word not to take; in a call nobody takes.
    #[inline]
    pub(super) fn passive(
        &self,
        side: Side,
        price: Price,
        qualifiers: Qualifiers,
        style: Style,
    ) -> Result<Price, Reason> {
        if !qualifiers.post_only || !self.is_continuous() || !self.book.would_take(side, price) {
            return Ok(price);
        }
        let next = self.book.best(side).and_then(|best| Price::new(best.cents() - side.sign()));
        next.filter(|next| style.slides && self.check_band(*next).is_ok()).ok_or(Reason::WouldTrade)
    }

    /// Whether the auction can still be taken part in.
    pub(super) fn is_ahead(&self, opening: bool) -> bool {
        match self.phase {
            Phase::Call(Call::Opening(_)) => opening || self.venue.closing_auction.is_some(),
            _ => !opening && self.venue.closing_auction.is_some(),
        }
    }

    /// Enters an order of any style. Apart from [`enter_limit`](Self::enter_limit), so that this is compiled for plain orders alone.
    #[inline(never)]
    pub(super) fn enter_styled<O: EventSink + ?Sized>(
        &mut self,
        order: Resting,
        style: Style,
        answers: &mut Answers<'_, O>,
    ) {
        self.enter_limit(order, style, answers);
    }

    /// Enters an order with a limit that has been accepted.
    #[inline(always)]
    pub(super) fn enter_limit<O: EventSink + ?Sized>(
        &mut self,
        order: Resting,
        style: Style,
        answers: &mut Answers<'_, O>,
    ) {
        let Resting { agent, id, side, price, quantity, qualifiers } = order;
        if !self.is_continuous() {
            let limit = Some(price);
            self.enter(Entry { agent, id, side, limit, quantity, qualifiers, style, stay: Stay::Rest }, answers);
            return;
        }
        match self.take(side, Some(price), quantity, (agent, id), answers) {
            crate::book::Taken::Remaining(quantity) => {
                let order = Resting { quantity, ..order };
                let handle =
                    if style == Style::PLAIN { self.book.rest(order) } else { self.book.rest_styled(order, style) };
                self.accounts.add(agent, id, handle);
                if let Some(exposure) = self.notes.exposures.of_mut(agent) {
                    exposure.opens(side, Some(price), quantity);
                }
            }
            taken => self.cancel_rest((agent, id), taken, answers),
        }
    }
}

/// The open order that a request is about.
pub(super) fn named_order(request: &Request) -> Option<OrderId> {
    match request.kind {
        RequestKind::Cancel { order } | RequestKind::Modify { order, .. } | RequestKind::Reduce { order, .. } => {
            Some(order)
        }
        // A replace makes an order of its own, and that is what a rejection ends.
        RequestKind::Replace { .. }
        | RequestKind::Limit { .. }
        | RequestKind::Market { .. }
        | RequestKind::Order(_)
        | RequestKind::CancelAll => None,
    }
}

pub(super) fn check_quantity(quantity: u64) -> Result<u32, Reason> {
    Quantity::new(quantity).map(Quantity::shares).ok_or(Reason::InvalidQuantity)
}
