//! Which orders rest for which agent: in the order in which they took their place in the book, and by order id.
//!
//! Most agents never name an order: they cancel all they have. So an index by id is kept only for those who have once asked for one; the others' accounts
//! are one short row each. Invariant: an order is known here exactly while it rests. Adding and removing cost the same however many there are; so does
//! finding, but for an agent's first time, which looks once at each order that rests for it.

use crate::AgentIndex;
use crate::book::Handle;
use crate::steps::step;
use assay_model::{OrderId, Reason};

/// One agent's resting orders.
#[derive(Clone, Debug)]
struct Account {
    oldest: Handle,
    newest: Handle,
    resting: u32,
    /// Which of the indexes is its own, or [`NO_INDEX`].
    index: u32,
    /// Why nothing more is taken from it.
    stopped: Option<Reason>,
}

/// No order of the agent has been asked for by id.
const NO_INDEX: u32 = u32::MAX;

/// The handles of one agent's orders by order id, `NIL` for one that does not rest. Ids count up from 1, so this is as long as the agent's history,
/// four bytes a request.
#[derive(Debug, Default)]
struct Index(Vec<Handle>);

impl Index {
    fn set(&mut self, order: OrderId, handle: Handle) {
        let at = order.0 as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, Handle::NIL);
        }
        debug_assert!(self.0[at] == Handle::NIL || handle == Handle::NIL, "a desk never uses an id twice");
        self.0[at] = handle;
    }

    /// Any number may be asked for.
    fn get(&self, order: OrderId) -> Option<Handle> {
        let handle = self.0.get(usize::try_from(order.0).ok()?)?;
        (*handle != Handle::NIL).then_some(*handle)
    }
}

/// An order and its neighbours in its agent's list.
#[derive(Clone, Copy, Debug)]
struct Links {
    order: OrderId,
    older: Handle,
    newer: Handle,
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Accounts {
    accounts: Vec<Account>,
    indexes: Vec<Index>,
    /// By handle.
    links: Vec<Links>,
}

impl Accounts {
    pub(super) fn new(agents: u32) -> Self {
        let (oldest, newest) = (Handle::NIL, Handle::NIL);
        let account = Account { oldest, newest, resting: 0, index: NO_INDEX, stopped: None };
        Self { accounts: vec![account; agents as usize], indexes: Vec::new(), links: Vec::new() }
    }

    pub(super) fn agents(&self) -> impl Iterator<Item = AgentIndex> + use<> {
        // `new` took a u32, so the cast is exact.
        (0..self.accounts.len() as u32).map(AgentIndex)
    }

    /// The resting order of this id. Any number may be asked for.
    pub(super) fn find(&mut self, agent: AgentIndex, order: OrderId) -> Option<Handle> {
        let index = self.accounts[agent.0 as usize].index;
        match self.indexes.get(index as usize) {
            Some(index) => index.get(order),
            None => self.make_index(agent).get(order),
        }
    }

    /// The same without an index being made for later: an agent that has none is looked through for as long as `steps` orders.
    pub(super) fn peek(&self, agent: AgentIndex, order: OrderId, steps: usize) -> Option<Handle> {
        let account = self.accounts.get(agent.0 as usize)?;
        if let Some(index) = self.indexes.get(account.index as usize) {
            return index.get(order);
        }
        let next = |handle: &Handle| self.links.get(handle.0 as usize).map(|links| links.newer);
        let orders = std::iter::successors(Some(account.oldest), next).take_while(|handle| *handle != Handle::NIL);
        orders.take(steps).inspect(|_| step()).find(|handle| self.links[handle.0 as usize].order == order)
    }

    /// Keeps an index for the agent from here on.
    pub(super) fn keep_index(&mut self, agent: AgentIndex) {
        if self.accounts[agent.0 as usize].index == NO_INDEX {
            self.make_index(agent);
        }
    }

    #[cold]
    fn make_index(&mut self, agent: AgentIndex) -> &Index {
        let account = &mut self.accounts[agent.0 as usize];
        // There are no more indexes than agents, so the cast is exact.
        account.index = self.indexes.len() as u32;
        let mut index = Index::default();
        let mut next = account.oldest;
        while let Some(links) = self.links.get(next.0 as usize) {
            step();
            index.set(links.order, next);
            next = links.newer;
        }
        self.indexes.push_mut(index)
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
        if let Some(index) = self.indexes.get_mut(account.index as usize) {
            index.set(order, handle);
        }
        account.resting += 1;
        let older = std::mem::replace(&mut account.newest, handle);
        match self.links.get_mut(older.0 as usize) {
            Some(links) => links.newer = handle,
            None => account.oldest = handle,
        }
        let links = Links { order, older, newer: Handle::NIL };
        match self.links.get_mut(handle.0 as usize) {
            Some(slot) => *slot = links,
            None => {
                // The book hands out its slots one after the other; those passed over are parts of orders, and have no links.
                let none = Links { order, older: Handle::NIL, newer: Handle::NIL };
                self.links.resize(handle.0 as usize, none);
                self.links.push(links);
            }
        }
    }

    pub(super) fn remove(&mut self, agent: AgentIndex, order: OrderId, handle: Handle) {
        let account = &mut self.accounts[agent.0 as usize];
        if let Some(index) = self.indexes.get_mut(account.index as usize) {
            index.set(order, Handle::NIL);
        }
        account.resting -= 1;
        let Links { older, newer, .. } = self.links[handle.0 as usize];
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
