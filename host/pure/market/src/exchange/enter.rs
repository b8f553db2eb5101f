//! Orders with the rarer terms: from the request to the book, with a wait in between if they have to.

use super::margin::Open;
use super::requests::check_quantity;
use super::waiting::{TRAILING_STOPS_MAX, Wait};
use super::{Answers, Entry, Exchange, SelfTrade, Stay};
use crate::book::{OwnOrders, Resting, Style};
use crate::{AgentIndex, EventSink};
use assay_model::{
    Display, OrderId, PostOnly, Price, Qualifiers, Reason, Side, Terms, TimeInForce, Trigger, UpdateKind,
};
use std::collections::VecDeque;

impl Exchange {
    /// Takes an order with any terms, or returns why not and has changed nothing.
    #[inline(never)]
    pub(super) fn order<O: EventSink + ?Sized>(
        &mut self,
        agent: AgentIndex,
        id: OrderId,
        terms: &Terms,
        answers: &mut Answers<'_, O>,
    ) -> Result<(), Reason> {
        check_combination(terms)?;
        if terms.time_in_force == TimeInForce::GoodTill && terms.expires <= answers.at {
            return Err(Reason::Expired);
        }
        let mut entry = self.entry(agent, id, terms)?;
        let wait = self.wait(agent, terms)?;
        self.check_room(agent)?;
        self.check_account(agent, entry.side, Open { limit: entry.limit, shares: entry.quantity }, None)?;
        self.check_auction(terms, &entry)?;
        let asked = entry.limit;
        if let Some(limit) = asked {
            entry.limit = Some(self.passive(entry.side, limit, entry.qualifiers, entry.style)?);
        }
        if wait.is_none() && entry.stay == Stay::AllOrNone && !self.can_fill(&entry) {
            return Err(Reason::CannotFill);
        }
        answers.update(agent, id, id, entry.quantity, UpdateKind::Accepted);
        if let Some(price) = entry.limit.filter(|_| entry.limit != asked) {
            answers.update(agent, id, id, entry.quantity, UpdateKind::Modified { price });
        }
        if terms.time_in_force == TimeInForce::GoodTill {
            self.agenda.expires(agent, id, terms.expires);
        }
        match wait {
            Some(Wait::Stop(stop)) if self.is_reached(entry.side, stop) => self.set_off(entry, answers),
            Some(wait) => self.park(entry, wait),
            None => self.enter(entry, answers),
        }
        Ok(())
    }

    /// The order with its numbers checked.
    fn entry(&self, agent: AgentIndex, id: OrderId, terms: &Terms) -> Result<Entry, Reason> {
        let limit = match terms.price {
            0 => None,
            cents => Some(Price::new(i64::from(cents)).ok_or(Reason::InvalidPrice)?),
        };
        let quantity = check_quantity(u64::from(terms.quantity))?;
        if terms.display == Display::Iceberg {
            check_quantity(u64::from(terms.shown))?;
        }
        limit.map_or(Ok(()), |limit| self.check_band(limit))?;
        let stay = match terms.time_in_force {
            TimeInForce::FillOrKill => Stay::AllOrNone,
            TimeInForce::ImmediateOrCancel | TimeInForce::AtOpen | TimeInForce::AtClose => Stay::Cancel,
            TimeInForce::Day | TimeInForce::GoodTill if limit.is_none() => Stay::Cancel,
            TimeInForce::Day | TimeInForce::GoodTill => Stay::Rest,
        };
        let qualifiers =
            Qualifiers { hidden: terms.display == Display::Hidden, post_only: terms.post_only != PostOnly::No };
        let style = Style {
            shown: if terms.display == Display::Iceberg { terms.shown } else { 0 },
            slides: terms.post_only == PostOnly::Slide,
            comply: terms.display == Display::Comply,
        };
        Ok(Entry { agent, id, side: terms.side, limit, quantity, qualifiers, style, stay })
    }

    /// What the order waits for, if it does.
    fn wait(&self, agent: AgentIndex, terms: &Terms) -> Result<Option<Wait>, Reason> {
        let at = Price::new(i64::from(terms.trigger_at)).ok_or(Reason::InvalidPrice);
        match (terms.trigger, terms.time_in_force) {
            (Trigger::Stop, _) => Ok(Some(Wait::Stop(at?))),
            (Trigger::Trail, _) if self.waiting.trails_of(agent) >= TRAILING_STOPS_MAX => {
                Err(Reason::TooManyOpenOrders)
            }
            (Trigger::Trail, _) => Ok(Some(Wait::Trail { by: at?.cents(), best: self.last })),
            (Trigger::None, TimeInForce::AtOpen) => Ok(Some(Wait::Opening)),
            (Trigger::None, TimeInForce::AtClose) => Ok(Some(Wait::Closing)),
            (Trigger::None, _) => Ok(None),
        }
    }

    fn check_auction(&self, terms: &Terms, entry: &Entry) -> Result<(), Reason> {
        let at_once = matches!(terms.time_in_force, TimeInForce::ImmediateOrCancel | TimeInForce::FillOrKill);
        match terms.time_in_force {
            TimeInForce::AtOpen if !self.is_ahead(true) => Err(Reason::NoAuction),
            TimeInForce::AtClose if !self.is_ahead(false) => Err(Reason::NoAuction),
            _ if at_once && terms.trigger == Trigger::None && !self.is_continuous() => {
                debug_assert_ne!(entry.stay, Stay::Rest);
                Err(Reason::InAuction)
            }
            _ => Ok(()),
        }
    }

    fn can_fill(&self, entry: &Entry) -> bool {
        let own = match self.venue.self_trade {
            SelfTrade::Allow => OwnOrders::Count,
            SelfTrade::CancelOldest => OwnOrders::Skip,
            SelfTrade::CancelNewest | SelfTrade::Decrement => OwnOrders::Refuse,
        };
        self.book.can_fill(entry.side, self.worst(entry), entry.quantity, entry.agent, own)
    }

    /// The worst price at which the order may trade.
    pub(super) fn worst(&self, entry: &Entry) -> Option<Price> {
        entry.limit.or_else(|| self.notes.limits().map(|band| band.edge(entry.side)))
    }

    fn is_reached(&self, side: Side, stop: Price) -> bool {
        self.last.is_some_and(|last| side.sign() * (last.cents() - stop.cents()) >= 0)
    }

    pub(super) fn park(&mut self, entry: Entry, wait: Wait) {
        if let Some(exposure) = self.notes.exposures.of_mut(entry.agent) {
            exposure.opens(entry.side, entry.limit, entry.quantity);
        }
        self.waiting.park(entry, wait);
    }

    /// Enters an order that has been accepted: into the book, or into the auction that is being called.
    #[inline(never)]
    pub(super) fn enter<O: EventSink + ?Sized>(&mut self, entry: Entry, answers: &mut Answers<'_, O>) {
        let Entry { agent, id, side, limit, quantity, qualifiers, style, stay } = entry;
        match (limit, stay) {
            _ if !self.is_continuous() => self.park(entry, Wait::Call),
            (Some(price), Stay::Rest) => {
                self.enter_styled(Resting { agent, id, side, price, quantity, qualifiers }, style, answers);
            }
            _ => {
                let taken = self.take(side, self.worst(&entry), quantity, (agent, id), answers);
                self.cancel_rest((agent, id), taken, answers);
            }
        }
    }

    /// Enters every stop that trades have set off, and those that these set off in turn.
    #[cold]
    pub(super) fn set_off_stops<O: EventSink + ?Sized>(&mut self, answers: &mut Answers<'_, O>) {
        let mut queue = VecDeque::new();
        loop {
            for print in std::mem::take(&mut self.notes.prints) {
                for number in self.waiting.set_off(print) {
                    queue.extend(self.unpark(number));
                }
            }
            let Some(entry) = queue.pop_front() else { return };
            self.set_off(entry, answers);
        }
    }

    /// Enters a stop, or cancels it if it cannot be entered as things are now.
    fn set_off<O: EventSink + ?Sized>(&mut self, entry: Entry, answers: &mut Answers<'_, O>) {
        let Entry { agent, id, quantity, stay, .. } = entry;
        answers.update(agent, id, id, quantity, UpdateKind::Triggered);
        let at_once = stay == Stay::AllOrNone || (stay == Stay::Cancel && entry.limit.is_some());
        if let Some(Err(reason)) = entry.limit.map(|limit| self.check_band(limit)) {
            answers.cancelled(agent, id, reason);
        } else if self.check_power(agent, entry.side, Open { limit: entry.limit, shares: quantity }, None).is_err() {
            // The market has moved since it was accepted.
            answers.cancelled(agent, id, Reason::BuyingPower);
        } else if !self.is_continuous() && at_once {
            answers.cancelled(agent, id, Reason::InAuction);
        } else if stay == Stay::AllOrNone && !self.can_fill(&entry) {
            answers.cancelled(agent, id, Reason::CannotFill);
        } else {
            self.enter(entry, answers);
        }
    }
}

/// Whether the terms go together.
fn check_combination(terms: &Terms) -> Result<(), Reason> {
    let Terms { time_in_force, display, post_only, trigger, .. } = *terms;
    let stays = matches!(time_in_force, TimeInForce::Day | TimeInForce::GoodTill);
    let (plain, posts) = (display == Display::Full, post_only != PostOnly::No);
    let sound = match trigger {
        // Only what can rest can be shown in part, or has to keep from taking.
        Trigger::None if terms.price == 0 => plain && !posts && time_in_force != TimeInForce::GoodTill,
        Trigger::None => (stays || (plain && !posts)) && !(display == Display::Comply && posts),
        Trigger::Stop | Trigger::Trail => {
            let in_auction = matches!(time_in_force, TimeInForce::AtOpen | TimeInForce::AtClose);
            !in_auction && !posts && display != Display::Comply && (plain || (stays && terms.price != 0))
        }
    };
    if sound { Ok(()) } else { Err(Reason::InvalidTerms) }
}
