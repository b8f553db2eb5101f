//! Which orders rest for which agent: by order id, and in the order in which they took their place in the book.
//!
//! Invariant: an order is known here exactly while it rests. Finding, adding and removing cost the same however many there are.

use crate::AgentIndex;
use crate::book::Handle;
use assay_model::{OrderId, Reason};

/// One agent's resting orders.
#[derive(Debug)]
struct Account {
    oldest: Handle,
    newest: Handle,
    resting: u32,
    /// Why nothing more is taken from it.
    stopped: Option<Reason>,
    /// By order id, `NIL` for one that does not rest. Ids count up from 1, so this is as long as the agent's history, four bytes
    /// a request.
    handles: Vec<Handle>,
}

/// An order's neighbours in its agent's list.
#[derive(Clone, Copy, Debug)]
struct Links {
    older: Handle,
    newer: Handle,
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Accounts {
    accounts: Vec<Account>,
    /// By handle.
    links: Vec<Links>,
}

impl Accounts {
    pub(super) fn new(agents: u32) -> Self {
        let account =
            || Account { oldest: Handle::NIL, newest: Handle::NIL, resting: 0, stopped: None, handles: Vec::new() };
        Self { accounts: std::iter::repeat_with(account).take(agents as usize).collect(), links: Vec::new() }
    }

    pub(super) fn agents(&self) -> impl Iterator<Item = AgentIndex> + use<> {
        // `new` took a u32, so the cast is exact.
        (0..self.accounts.len() as u32).map(AgentIndex)
    }

    /// The resting order of this id. Any number may be asked for.
    pub(super) fn find(&self, agent: AgentIndex, order: OrderId) -> Option<Handle> {
        let handles = &self.accounts[agent.0 as usize].handles;
        let handle = handles.get(usize::try_from(order.0).ok()?)?;
        (*handle != Handle::NIL).then_some(*handle)
    }

    pub(super) fn oldest(&self, agent: AgentIndex) -> Option<Handle> {
        let oldest = self.accounts[agent.0 as usize].oldest;
        (oldest != Handle::NIL).then_some(oldest)
    }

    pub(super) fn resting(&self, agent: AgentIndex) -> u32 {
        self.accounts[agent.0 as usize].resting
    }

    pub(super) fn stopped(&self, agent: AgentIndex) -> Option<Reason> {
        self.accounts[agent.0 as usize].stopped
    }

    pub(super) fn stop(&mut self, agent: AgentIndex, reason: Reason) {
        self.accounts[agent.0 as usize].stopped = Some(reason);
    }

    pub(super) fn add(&mut self, agent: AgentIndex, order: OrderId, handle: Handle) {
        let account = &mut self.accounts[agent.0 as usize];
        let index = order.0 as usize;
        if account.handles.len() <= index {
            account.handles.resize(index + 1, Handle::NIL);
        }
        debug_assert_eq!(account.handles[index], Handle::NIL, "a desk never uses an id twice");
        account.handles[index] = handle;
        account.resting += 1;
        let older = std::mem::replace(&mut account.newest, handle);
        match self.links.get_mut(older.0 as usize) {
            Some(links) => links.newer = handle,
            None => account.oldest = handle,
        }
        let links = Links { older, newer: Handle::NIL };
        match self.links.get_mut(handle.0 as usize) {
            Some(slot) => *slot = links,
            None => {
                // The book hands out its slots one after the other; those passed over are parts of orders, and have no links.
                let none = Links { older: Handle::NIL, newer: Handle::NIL };
                self.links.resize(handle.0 as usize, none);
                self.links.push(links);
            }
        }
    }

    pub(super) fn remove(&mut self, agent: AgentIndex, order: OrderId, handle: Handle) {
        let account = &mut self.accounts[agent.0 as usize];
        account.handles[order.0 as usize] = Handle::NIL;
        account.resting -= 1;
        let Links { older, newer } = self.links[handle.0 as usize];
        match self.links.get_mut(older.0 as usize) {
            Some(links) => links.newer = newer,
            None => account.oldest = newer,
        }
        match self.links.get_mut(newer.0 as usize) {
            Some(links) => links.older = older,
            None => account.newest = older,
        }
    }
}
