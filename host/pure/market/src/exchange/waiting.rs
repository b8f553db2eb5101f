//! Orders that have been accepted and are not in the book: stops, and what is collected for an auction.
//!
//! Invariant: an order is in at most one of the book and this. Nothing here is looked at while it is empty. A trade costs the logarithm
//! of what waits and the trailing stops, of which a trader has at most [`TRAILING_STOPS_MAX`].

use super::Entry;
use crate::AgentIndex;
use crate::steps::step;
use assay_model::{OrderId, Price, Side};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Trailing stops one agent may have: each is looked at with every trade.
pub const TRAILING_STOPS_MAX: usize = 100;

/// What an order waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wait {
    /// A trade at this price or beyond.
    Stop(Price),
    /// A trade `by` cents off the best price since.
    Trail { by: i64, best: Option<Price> },
    /// The auction that is being called.
    Call,
    /// The opening auction.
    Opening,
    /// The closing auction.
    Closing,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    orders: u32,
    trails: u32,
}

/// See the module documentation. Orders are numbered as they come.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    last_number: u64,
    orders: BTreeMap<u64, (Entry, Wait)>,
    numbers: BTreeMap<(AgentIndex, OrderId), u64>,
    /// Lowest stop first.
    buy_stops: BTreeSet<(Price, u64)>,
    /// Highest stop first.
    sell_stops: BTreeSet<(Reverse<Price>, u64)>,
    trails: BTreeSet<u64>,
    /// How many orders an agent has here, and how many trailing stops among them; nobody without any.
    counts: BTreeMap<AgentIndex, Counts>,
    /// Whether any of the last three has something.
    has_triggers: bool,
}

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    /// Whether trades are of interest.
    pub(super) fn has_triggers(&self) -> bool {
        self.has_triggers
    }

    pub(super) fn find(&self, agent: AgentIndex, order: OrderId) -> Option<u64> {
        self.numbers.get(&(agent, order)).copied()
    }

    /// The order of this number, and what it waits for.
    pub(super) fn get(&self, number: u64) -> Option<(Entry, Wait)> {
        self.orders.get(&number).copied()
    }

    pub(super) fn quantity(&self, number: u64) -> u32 {
        self.orders.get(&number).map_or(0, |(entry, _)| entry.quantity)
    }

    /// The agent's orders, by id.
    pub(super) fn of(&self, agent: AgentIndex) -> impl Iterator<Item = u64> {
        self.numbers
            .range((agent, OrderId::default())..=(agent, assay_model::RequestId(u64::MAX)))
            .map(|(_, number)| *number)
            .inspect(|_| step())
    }

    /// How many orders the agent has here.
    pub(super) fn count_of(&self, agent: AgentIndex) -> u32 {
        self.counts.get(&agent).map_or(0, |counts| counts.orders)
    }

    /// How many of them are trailing stops.
    pub(super) fn trails_of(&self, agent: AgentIndex) -> usize {
        self.counts.get(&agent).map_or(0, |counts| counts.trails as usize)
    }

    fn count(&mut self, agent: AgentIndex, wait: Wait, change: i32) {
        let counts = self.counts.entry(agent).or_default();
        // What is taken out has been put in, so neither goes below zero.
        counts.orders = counts.orders.saturating_add_signed(change);
        if let Wait::Trail { .. } = wait {
            counts.trails = counts.trails.saturating_add_signed(change);
        }
        if *counts == Counts::default() {
            self.counts.remove(&agent);
        }
    }

    /// Every order that waits for one of these, as they came.
    pub(super) fn that_wait_for(&self, waits: &[Wait]) -> Vec<(u64, Entry)> {
        let wanted = self.orders.iter().inspect(|_| step()).filter(|(_, (_, wait))| waits.contains(wait));
        wanted.map(|(number, (entry, _))| (*number, *entry)).collect()
    }

    pub(super) fn park(&mut self, entry: Entry, wait: Wait) {
        self.last_number += 1;
        let number = self.last_number;
        match (wait, entry.side) {
            (Wait::Stop(price), Side::Buy) => _ = self.buy_stops.insert((price, number)),
            (Wait::Stop(price), Side::Sell) => _ = self.sell_stops.insert((Reverse(price), number)),
            (Wait::Trail { .. }, _) => _ = self.trails.insert(number),
            (Wait::Call | Wait::Opening | Wait::Closing, _) => {}
        }
        self.note_triggers();
        self.count(entry.agent, wait, 1);
        self.numbers.insert((entry.agent, entry.id), number);
        self.orders.insert(number, (entry, wait));
    }

    pub(super) fn take_out(&mut self, number: u64) -> Option<Entry> {
        let (entry, wait) = self.orders.remove(&number)?;
        self.numbers.remove(&(entry.agent, entry.id));
        match (wait, entry.side) {
            (Wait::Stop(price), Side::Buy) => _ = self.buy_stops.remove(&(price, number)),
            (Wait::Stop(price), Side::Sell) => _ = self.sell_stops.remove(&(Reverse(price), number)),
            (Wait::Trail { .. }, _) => _ = self.trails.remove(&number),
            (Wait::Call | Wait::Opening | Wait::Closing, _) => {}
        }
        self.note_triggers();
        self.count(entry.agent, wait, -1);
        Some(entry)
    }

    fn note_triggers(&mut self) {
        self.has_triggers = !(self.buy_stops.is_empty() && self.sell_stops.is_empty() && self.trails.is_empty());
    }

    /// Takes `by` shares, fewer than it has, off an order; returns it as it was.
    pub(super) fn reduce(&mut self, number: u64, by: u32) -> Option<Entry> {
        let (entry, _) = self.orders.get_mut(&number)?;
        let before = *entry;
        entry.quantity -= by;
        Some(before)
    }

    /// The stops that a trade at this price sets off, in this order: stops to buy, the lowest first; stops to sell, the highest first;
    /// trailing stops, the oldest first. Each stays where it is.
    pub(super) fn set_off(&mut self, print: Price) -> Vec<u64> {
        let buys = self.buy_stops.iter().take_while(|(stop, _)| *stop <= print).map(|(_, number)| *number);
        let sells = self.sell_stops.iter().take_while(|(Reverse(stop), _)| *stop >= print).map(|(_, number)| *number);
        let mut set_off: Vec<u64> = buys.chain(sells).inspect(|_| step()).collect();
        for number in &self.trails {
            step();
            let Some((entry, Wait::Trail { by, best })) = self.orders.get_mut(number) else { continue };
            let sign = entry.side.sign();
            // The best is the lowest price to a buyer, the highest to a seller.
            let improves = best.is_none_or(|best| sign * (best.cents() - print.cents()) > 0);
            if improves {
                *best = Some(print);
            } else if best.is_some_and(|best| sign * (print.cents() - best.cents()) >= *by) {
                set_off.push(*number);
            }
        }
        set_off
    }
}
