//! What the exchange does by itself when its time comes.

use crate::AgentIndex;
use assay_model::{OrderId, Time};
use std::collections::{BTreeMap, BTreeSet};

/// See the module documentation. At one time, things are done in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Due {
    /// The halt of this number begins.
    Halt(usize),
    /// Orders are collected for the closing auction.
    ClosingCall,
    /// The auction is held, unless its time has been put off.
    Auction,
    /// Trading pauses, if the market has pressed against its band all the time.
    LimitPause,
    /// The order expires, if it still lives.
    Expire(AgentIndex, OrderId),
}

/// Invariant: `next` is the time of the first entry, the end of time without one.
#[derive(Debug)]
pub(super) struct Agenda {
    next: Time,
    entries: BTreeSet<(Time, Due)>,
    /// When orders expire. An order that ends earlier stays here until then: its id is not used again.
    dates: BTreeMap<(AgentIndex, OrderId), Time>,
}

impl Agenda {
    pub(super) fn new() -> Self {
        Self { next: Time(u64::MAX), entries: BTreeSet::new(), dates: BTreeMap::new() }
    }

    /// When something is due next; the end of time if nothing is.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    pub(super) fn push(&mut self, at: Time, due: Due) {
        self.entries.insert((at, due));
        self.next = self.next.min(at);
    }

    /// The next thing due at `now` or before.
    pub(super) fn pop(&mut self, now: Time) -> Option<(Time, Due)> {
        if self.next > now {
            return None;
        }
        let first = self.entries.pop_first();
        self.next = self.entries.first().map_or(Time(u64::MAX), |(at, _)| *at);
        if let Some((_, Due::Expire(agent, order))) = first {
            self.dates.remove(&(agent, order));
        }
        first
    }

    pub(super) fn expires(&mut self, agent: AgentIndex, order: OrderId, at: Time) {
        self.push(at, Due::Expire(agent, order));
        self.dates.insert((agent, order), at);
    }

    /// When the order expires, if it does.
    pub(super) fn date(&self, agent: AgentIndex, order: OrderId) -> Option<Time> {
        self.dates.get(&(agent, order)).copied()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }
}
