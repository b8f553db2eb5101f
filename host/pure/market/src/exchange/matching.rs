//! Matching in continuous trading, and taking orders out.

use super::{Answers, Entry, Exchange, SelfTrade};
use crate::book::{Fill, Handle, Resting, Taken};
use crate::{AgentIndex, EventKind, EventSink};
use assay_model::{Liquidity, OrderId, Price, Reason, Side, UpdateKind};

/// An agent that nobody is, so that no order is the taker's own.
const NOBODY: AgentIndex = AgentIndex(u32::MAX);

impl Exchange {
    /// Trades what it can, dealing with the taker's own orders as the venue has it.
    #[inline]
    pub(super) fn take<O: EventSink + ?Sized>(
        &mut self,
        side: Side,
        limit: Option<Price>,
        quantity: u32,
        who: (AgentIndex, OrderId),
        answers: &mut Answers<'_, O>,
    ) -> Taken {
        let mut taken = self.take_from_others(side, limit, quantity, who, answers);
        while let Taken::OwnOrder(left) = taken
            && let Some(left) = self.meet_own(side, left, who, answers)
        {
            taken = self.take_from_others(side, limit, left, who, answers);
        }
        taken
    }

    #[inline]
    fn take_from_others<O: EventSink + ?Sized>(
        &mut self,
        side: Side,
        limit: Option<Price>,
        quantity: u32,
        (agent, id): (AgentIndex, OrderId),
        answers: &mut Answers<'_, O>,
    ) -> Taken {
        let attentive = self.waiting.has_triggers() || !self.venue.breakers.is_empty();
        let stranger = if self.venue.self_trade == SelfTrade::Allow { NOBODY } else { agent };
        let Self { book, accounts, exposure, band, prints, first, last, volume, .. } = self;
        // One question for each fill where there is nothing to note.
        let takes_note = attentive || band.is_some() || exposure.is_some();
        let mut wanted = quantity;
        book.take(side, limit, quantity, stranger, |fill| {
            let Fill { price, quantity, .. } = fill;
            wanted -= quantity;
            *volume += u64::from(quantity);
            *last = Some(price);
            if fill.remaining == 0 {
                accounts.remove(fill.agent, fill.id, fill.maker);
            }
            if takes_note {
                if let Some(band) = band {
                    band.trade(answers.at, price);
                }
                if attentive {
                    *first = first.or(*last);
                    prints.push(price);
                }
                if let Some(exposure) = exposure {
                    exposure.leaves(fill.agent, side.opposite(), quantity);
                    exposure.trades(fill.agent, side.opposite(), quantity, price);
                    exposure.trades(agent, side, quantity, price);
                }
            }
            let (maker, taker) = ((fill.agent, fill.id), (agent, id));
            answers.event(EventKind::Trade { price, quantity, taker_side: side, maker, taker });
            let kind = |liquidity| UpdateKind::Fill { price, quantity, liquidity };
            answers.update(fill.agent, fill.id, fill.id, fill.remaining, kind(Liquidity::Maker));
            answers.update(agent, id, id, wanted, kind(Liquidity::Taker));
        })
    }

    /// The taker has met an order of its own: the shares with which it goes on, if it does.
    #[cold]
    fn meet_own<O: EventSink + ?Sized>(
        &mut self,
        side: Side,
        left: u32,
        (agent, id): (AgentIndex, OrderId),
        answers: &mut Answers<'_, O>,
    ) -> Option<u32> {
        let own = self.book.front(side)?;
        let order = self.book.order(own)?;
        match self.venue.self_trade {
            SelfTrade::Allow | SelfTrade::CancelNewest => None,
            SelfTrade::CancelOldest => {
                self.remove(own);
                answers.cancelled(agent, order.id, Reason::SelfTrade);
                Some(left)
            }
            SelfTrade::Decrement if order.quantity > left => {
                self.reduce(own, &order, left);
                let remaining = order.quantity - left;
                answers.update(agent, order.id, order.id, remaining, UpdateKind::Reduced { by: left });
                None
            }
            SelfTrade::Decrement => {
                self.remove(own);
                answers.cancelled(agent, order.id, Reason::SelfTrade);
                let by = order.quantity;
                let remaining = left.checked_sub(by).filter(|remaining| *remaining > 0)?;
                answers.update(agent, id, id, remaining, UpdateKind::Reduced { by });
                Some(remaining)
            }
        }
    }

    /// Ends an order that may not rest.
    pub(super) fn cancel_rest<O: EventSink + ?Sized>(
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
        answers.cancelled(agent, id, reason);
    }

    pub(super) fn cancel_all<O: EventSink + ?Sized>(
        &mut self,
        agent: AgentIndex,
        reason: Reason,
        answers: &mut Answers<'_, O>,
    ) -> u32 {
        let mut count = 0;
        while let Some(handle) = self.accounts.oldest(agent)
            && let Some(order) = self.remove(handle)
        {
            answers.cancelled(agent, order.id, reason);
            count += 1;
        }
        if self.waiting.is_empty() {
            return count;
        }
        let waiting: Vec<u64> = self.waiting.of(agent).collect();
        for number in waiting {
            if let Some(entry) = self.unpark(number) {
                answers.cancelled(agent, entry.id, reason);
                count += 1;
            }
        }
        count
    }

    /// Cancels an order that rests or waits, as an answer to `request`; whether there was one.
    #[inline(never)]
    pub(super) fn cancel_one<O: EventSink + ?Sized>(
        &mut self,
        agent: AgentIndex,
        order: OrderId,
        request: OrderId,
        reason: Reason,
        answers: &mut Answers<'_, O>,
    ) -> bool {
        let found = match self.accounts.find(agent, order) {
            Some(handle) => self.remove(handle).is_some(),
            None => self.waiting.find(agent, order).and_then(|number| self.unpark(number)).is_some(),
        };
        if found {
            answers.update(agent, request, order, 0, UpdateKind::Cancelled { reason });
        }
        found
    }

    pub(super) fn find(&self, agent: AgentIndex, order: OrderId) -> Option<(Handle, Resting)> {
        let handle = self.accounts.find(agent, order)?;
        Some((handle, self.book.order(handle)?))
    }

    /// Shares left of an order that rests or waits; 0 if there is none.
    pub(super) fn remaining(&self, agent: AgentIndex, order: OrderId) -> u32 {
        let waiting = || self.waiting.find(agent, order).map_or(0, |number| self.waiting.quantity(number));
        self.find(agent, order).map_or_else(waiting, |(_, order)| order.quantity)
    }

    pub(super) fn remove(&mut self, handle: Handle) -> Option<Resting> {
        let order = self.book.remove(handle)?;
        self.accounts.remove(order.agent, order.id, handle);
        if let Some(exposure) = &mut self.exposure {
            exposure.leaves(order.agent, order.side, order.quantity);
        }
        Some(order)
    }

    pub(super) fn reduce(&mut self, handle: Handle, order: &Resting, by: u32) {
        self.book.reduce(handle, by);
        if let Some(exposure) = &mut self.exposure {
            exposure.leaves(order.agent, order.side, by);
        }
    }

    pub(super) fn unpark(&mut self, number: u64) -> Option<Entry> {
        let entry = self.waiting.take_out(number)?;
        if let Some(exposure) = &mut self.exposure {
            exposure.leaves(entry.agent, entry.side, entry.quantity);
        }
        Some(entry)
    }

    /// Takes up to `by` shares off an order that waits; the order as it was and what remains of it.
    pub(super) fn reduce_waiting(&mut self, number: u64, by: u32) -> Option<(Entry, u32)> {
        if by >= self.waiting.quantity(number) {
            return Some((self.unpark(number)?, 0));
        }
        let entry = self.waiting.reduce(number, by)?;
        if let Some(exposure) = &mut self.exposure {
            exposure.leaves(entry.agent, entry.side, by);
        }
        Some((entry, entry.quantity - by))
    }
}
