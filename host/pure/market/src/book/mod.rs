//! A price-time order book for one symbol: what rests, and what an incoming order takes.
//!
//! The book matches and keeps the queues; who may do what, and what is said about it, is the [`Exchange`](crate::Exchange)'s part.
//!
//! Invariants: best price first, at a price visible orders before hidden ones, then first come first served; the book is
//! never crossed, as long as what rests has first taken all it can; an agent never trades with itself. Every operation costs the
//! same whatever the size of the book (see `ladder.rs` for the far prices).

mod ladder;
mod orders;

pub use orders::Handle;

use crate::AgentIndex;
use assay_model::{Level, OrderId, PRICE_MAX_CENTS, Price, Qualifiers, Side};
use ladder::{Ladder, NO_KEY};
use orders::{Node, Orders};

/// The terms of an order that rests, or is about to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resting {
    /// Whose.
    pub agent: AgentIndex,
    /// Its id with that agent.
    pub id: OrderId,
    /// Side.
    pub side: Side,
    /// Limit price.
    pub price: Price,
    /// Remaining shares; above zero.
    pub quantity: u32,
    /// Hidden, post-only.
    pub qualifiers: Qualifiers,
}

/// One match, seen from the resting order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fill {
    /// The resting order; no longer valid if nothing remains of it.
    pub maker: Handle,
    /// Its owner.
    pub agent: AgentIndex,
    /// Its id.
    pub id: OrderId,
    /// Trade price: the resting order's.
    pub price: Price,
    /// Shares traded.
    pub quantity: u32,
    /// Shares that remain of the resting order.
    pub remaining: u32,
}

/// How taking liquidity ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// Everything traded.
    Filled,
    /// Nothing more within the limit; these shares are left.
    Remaining(u32),
    /// The next order in the queue is the taker's own; these shares are left.
    OwnOrder(u32),
}

/// One symbol's book; see the module for its rules.
#[derive(Debug)]
pub struct Book {
    orders: Orders,
    /// By side, visible and hidden.
    ladders: [[Ladder; 2]; 2],
}

impl Default for Book {
    fn default() -> Self {
        Self::new()
    }
}

impl Book {
    /// An empty book.
    #[must_use]
    pub fn new() -> Self {
        let side = || [Ladder::new(), Ladder::new()];
        Self { orders: Orders::new(), ladders: [side(), side()] }
    }

    /// Trades up to `quantity` shares for `agent` against the other side, at `limit` or better (at any price if there is none).
    #[inline]
    pub fn take(
        &mut self,
        side: Side,
        limit: Option<Price>,
        quantity: u32,
        agent: AgentIndex,
        mut on_fill: impl FnMut(Fill),
    ) -> Taken {
        let maker_side = side.opposite();
        let limit = limit.map_or(NO_KEY - 1, |price| key(maker_side, price));
        let [visible, hidden] = &mut self.ladders[maker_side as usize];
        let mut wanted = quantity;
        while wanted > 0 {
            let ladder = if visible.best() <= hidden.best() { &mut *visible } else { &mut *hidden };
            if ladder.best() > limit {
                return Taken::Remaining(wanted);
            }
            let maker = ladder.front();
            let node = self.orders[maker];
            if node.agent == agent {
                return Taken::OwnOrder(wanted);
            }
            let quantity = wanted.min(node.quantity);
            let remaining = node.quantity - quantity;
            if remaining == 0 {
                ladder.unlink(&mut self.orders, maker);
            } else {
                ladder.shrink(&mut self.orders, maker, quantity);
            }
            wanted -= quantity;
            let price = price(maker_side, node.key);
            on_fill(Fill { maker, agent: node.agent, id: node.id, price, quantity, remaining });
        }
        Taken::Filled
    }

    /// Whether an order at this limit would meet another one, hidden ones and the agent's own included.
    #[must_use]
    pub fn would_take(&self, side: Side, limit: Price) -> bool {
        let maker_side = side.opposite();
        self.ladders[maker_side as usize].iter().any(|ladder| ladder.best() <= key(maker_side, limit))
    }

    /// Puts an order last in its queue. Whatever it could trade with must have been taken first.
    #[inline]
    pub fn rest(&mut self, order: Resting) -> Handle {
        let Resting { agent, id, side, price, quantity, qualifiers } = order;
        let (next, previous) = (Handle::NIL, Handle::NIL);
        let node = Node { next, previous, key: key(side, price), quantity, id, agent, side, qualifiers };
        self.ladders[side as usize][usize::from(qualifiers.hidden)].push(&mut self.orders, node)
    }

    /// The order of this handle; `None` if it rests no more and its number was not given to another.
    #[must_use]
    #[inline]
    pub fn order(&self, handle: Handle) -> Option<Resting> {
        self.orders.get(handle).map(terms)
    }

    /// Takes an order out and returns what it was.
    #[inline]
    pub fn remove(&mut self, handle: Handle) -> Option<Resting> {
        let order = terms(self.orders.get(handle)?);
        self.ladders[order.side as usize][usize::from(order.qualifiers.hidden)].unlink(&mut self.orders, handle);
        Some(order)
    }

    /// Takes up to `by` shares off an order, which keeps its place, or all of it out. Returns what remains.
    pub fn reduce(&mut self, handle: Handle, by: u32) -> Option<u32> {
        let order = self.order(handle)?;
        if by >= order.quantity {
            self.remove(handle);
            return Some(0);
        }
        self.ladders[order.side as usize][usize::from(order.qualifiers.hidden)].shrink(&mut self.orders, handle, by);
        Some(order.quantity - by)
    }

    /// The best visible level.
    #[must_use]
    #[inline]
    pub fn top(&self, side: Side) -> Option<Level> {
        let ladder = &self.ladders[side as usize][0];
        let quantity = ladder.best_quantity();
        (quantity > 0).then(|| Level { price: price(side, ladder.best()), quantity })
    }

    /// Visible levels, best first.
    pub fn levels(&self, side: Side) -> impl Iterator<Item = Level> {
        self.ladders[side as usize][0].levels().map(move |(key, quantity)| Level { price: price(side, key), quantity })
    }

    /// Visible shares on a side, all levels together.
    #[must_use]
    pub fn visible_quantity(&self, side: Side) -> u64 {
        self.ladders[side as usize][0].quantity()
    }
}

/// Mirrors bids, so that on both sides the better price has the lower key.
const MIRROR: u32 = PRICE_MAX_CENTS as u32 + 1;

#[inline]
fn key(side: Side, price: Price) -> u32 {
    match side {
        Side::Buy => MIRROR - price.ticks(),
        Side::Sell => price.ticks(),
    }
}

#[inline]
fn price(side: Side, key: u32) -> Price {
    // Keys come from prices, so nothing is ever clamped.
    Price::clamped(match side {
        Side::Buy => i64::from(MIRROR - key),
        Side::Sell => i64::from(key),
    })
}

#[inline]
fn terms(node: &Node) -> Resting {
    let Node { key, quantity, id, agent, side, qualifiers, .. } = *node;
    Resting { agent, id, side, price: price(side, key), quantity, qualifiers }
}
