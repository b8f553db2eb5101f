//! Matching in continuous trading, and taking orders out.

use super::accounts::Accounts;
use super::notes::{Noted, Notes};
use super::{Answers, Entry, Exchange, SelfTrade};
use crate::book::{Fill, Handle, Resting, Taken};
use crate::steps::step;
use crate::{AgentIndex, EventKind, EventSink};
use assay_model::{Liquidity, OrderId, Price, Reason, Side, UpdateKind};

/// An agent that nobody is, so that no order is the taker's own.
const NOBODY: AgentIndex = AgentIndex(u32::MAX);

/// What a match changes beside the book.
struct Record<'a> {
    accounts: &'a mut Accounts,
    notes: &'a mut Notes,
    last: &'a mut Option<Price>,
    volume: &'a mut u64,
    takes_note: bool,
    /// Whether stops wait for trades.
    prints: bool,
}

impl Record<'_> {
    /// Books a match with an order of this limit, after which the taker still wants `left` shares, and reports it.
    #[inline(always)]
    fn fill<O: EventSink + ?Sized>(
        &mut self,
        fill: &Fill,
        side: Side,
        taker: (AgentIndex, OrderId),
        (wanted, limit): (u32, Price),
        answers: &mut Answers<'_, O>,
    ) {
        let Fill { price, quantity, agent: maker, .. } = *fill;
        *self.volume += u64::from(quantity);
        *self.last = Some(price);
        if fill.remaining == 0 {
            self.accounts.remove(maker, fill.id, fill.maker);
        }
        if self.takes_note {
            let (at, prints) = (answers.at, self.prints);
            self.notes.trade(&Noted { at, price, quantity, taker_side: side, maker, taker: taker.0, prints });
            if let Some(exposure) = self.notes.exposures.of_mut(maker) {
                exposure.leaves(side.opposite(), Some(limit), quantity);
            }
        }
        answers.event(EventKind::Trade { price, quantity, taker_side: side, maker: (maker, fill.id), taker });
        let kind = |liquidity| UpdateKind::Fill { price, quantity, liquidity };
        answers.update(maker, fill.id, fill.id, fill.remaining, kind(Liquidity::Maker));
        answers.update(taker.0, taker.1, taker.1, wanted, kind(Liquidity::Taker));
    }
}

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
        let mut taken = self.take_plain(side, limit, quantity, who, answers);
        loop {
            let left = match taken {
                Taken::Filled | Taken::Remaining(_) => return taken,
                Taken::OwnOrder(left) => self.meet_own(side, left, who, answers),
                Taken::Styled(left) => self.meet_styled(side, left, who, answers),
            };
            let Some(left) = left else { return taken };
            taken = self.take_plain(side, limit, left, who, answers);
        }
    }

    /// Trades with plain orders of others until it meets something else.
    #[inline]
    fn take_plain<O: EventSink + ?Sized>(
        &mut self,
        side: Side,
        limit: Option<Price>,
        quantity: u32,
        (agent, id): (AgentIndex, OrderId),
        answers: &mut Answers<'_, O>,
    ) -> Taken {
        let prints = self.waiting.has_triggers();
        let stranger = if self.venue.self_trade == SelfTrade::Allow { NOBODY } else { agent };
        let Self { book, accounts, notes, notes_all, last, volume, .. } = self;
        let mut record = Record { accounts, notes, last, volume, takes_note: *notes_all || prints, prints };
        let mut wanted = quantity;
        book.take(side, limit, quantity, stranger, |fill| {
            wanted -= fill.quantity;
            record.fill(&fill, side, (agent, id), (wanted, fill.price), answers);
        })
    }

    /// The taker has met an order that is more than a place in a queue: the shares left after trading with it.
    #[cold]
    fn meet_styled<O: EventSink + ?Sized>(
        &mut self,
        side: Side,
        left: u32,
        who: (AgentIndex, OrderId),
        answers: &mut Answers<'_, O>,
    ) -> Option<u32> {
        let prints = self.waiting.has_triggers();
        let maker = self.book.front(side)?;
        // A price-to-comply order trades at another price than its limit.
        let limit = self.book.order(maker)?.price;
        let fill = self.book.take_styled(maker, left);
        let Self { accounts, notes, notes_all, last, volume, .. } = self;
        let mut record = Record { accounts, notes, last, volume, takes_note: *notes_all || prints, prints };
        let left = left - fill.quantity;
        record.fill(&fill, side, who, (left, limit), answers);
        // Nothing left means filled, which taking no more says too.
        Some(left)
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
            Taken::OwnOrder(_) | Taken::Styled(_) => Reason::SelfTrade,
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
            step();
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

    pub(super) fn find(&mut self, agent: AgentIndex, order: OrderId) -> Option<(Handle, Resting)> {
        let handle = self.accounts.find(agent, order)?;
        Some((handle, self.book.order(handle)?))
    }

    /// Shares left of an order that rests or waits; 0 if there is none.
    pub(super) fn remaining(&mut self, agent: AgentIndex, order: OrderId) -> u32 {
        if let Some((_, order)) = self.find(agent, order) {
            return order.quantity;
        }
        self.waiting.find(agent, order).map_or(0, |number| self.waiting.quantity(number))
    }

    pub(super) fn remove(&mut self, handle: Handle) -> Option<Resting> {
        let order = self.book.remove(handle)?;
        self.accounts.remove(order.agent, order.id, handle);
        if let Some(exposure) = self.notes.exposures.of_mut(order.agent) {
            exposure.leaves(order.side, Some(order.price), order.quantity);
        }
        Some(order)
    }

    pub(super) fn reduce(&mut self, handle: Handle, order: &Resting, by: u32) {
        self.book.reduce(handle, by);
        if let Some(exposure) = self.notes.exposures.of_mut(order.agent) {
            exposure.leaves(order.side, Some(order.price), by);
        }
    }

    pub(super) fn unpark(&mut self, number: u64) -> Option<Entry> {
        let entry = self.waiting.take_out(number)?;
        if let Some(exposure) = self.notes.exposures.of_mut(entry.agent) {
            exposure.leaves(entry.side, entry.limit, entry.quantity);
        }
        Some(entry)
    }

    /// Takes up to `by` shares off an order that waits; the order as it was and what remains of it.
    pub(super) fn reduce_waiting(&mut self, number: u64, by: u32) -> Option<(Entry, u32)> {
        if by >= self.waiting.quantity(number) {
            return Some((self.unpark(number)?, 0));
        }
        let entry = self.waiting.reduce(number, by)?;
        if let Some(exposure) = self.notes.exposures.of_mut(entry.agent) {
            exposure.leaves(entry.side, entry.limit, by);
        }
        Some((entry, entry.quantity - by))
    }
}
