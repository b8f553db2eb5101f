//! A price-time order book for one symbol: what rests, and what an incoming order takes.
//!
//! The rarer kinds of orders (iceberg, price-to-comply) keep what is special about them beside the queues; an order without
//! it pays one comparison.
//!
//! The book matches and keeps the queues; who may do what, and what is said about it, is the [`Exchange`](crate::Exchange)'s part.
//!
//! Invariants: best price first, at a price visible orders before hidden ones, then first come first served; the book is
//! never crossed, as long as what rests has first taken all it can; an agent never trades with itself. Every operation costs the
//! same whatever the size of the book (see `ladder.rs` for the far prices).

mod key;
mod ladder;
mod orders;
mod others;
mod styles;

pub use orders::Handle;

use crate::steps::step;
use crate::{AgentIndex, LeftOut};
use assay_model::{Level, OrderId, Price, Qualifiers, Side};
use key::{NO_KEY, key, price};
use ladder::Ladder;
use orders::{Extra, Node, Orders};
use styles::{Entry, Styles};

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

/// How an order rests, beyond its qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Shares shown at a time; 0 for all of them. Not for hidden orders.
    pub shown: u32,
    /// Post-only and moved rather than refused.
    pub slides: bool,
    /// Ranked hidden one tick better than its price, where that is free. Neither hidden, nor iceberg, nor sliding.
    pub comply: bool,
}

impl Style {
    /// An order like any other.
    pub const PLAIN: Self = Self { shown: 0, slides: false, comply: false };
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

/// Orders that a fill-or-kill order is counted against: what it would have to go through behind them, it is taken not to get. Somebody may pile
/// up thousands, and have them counted with every request.
pub const FILL_STEPS_MAX: usize = 256;

/// An order that is not to be filled as things are, or so far back that nobody looks.
struct Unfillable;

/// What a fill-or-kill order makes of the orders of its own trader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnOrders {
    /// It trades with them.
    Count,
    /// They give way.
    Skip,
    /// It cannot be filled if there is one at a price that it would have to go to.
    Refuse,
}

/// How taking liquidity ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// Everything traded.
    Filled,
    /// Nothing more within the limit; these shares are left.
    Remaining(u32),
    /// The next order in the queue, the [`Book::front`], is the taker's own; these shares are left.
    OwnOrder(u32),
    /// The next order in the queue is more than a place in it and trades by [`Book::take_styled`]; these shares are left.
    Styled(u32),
}

/// One symbol's book; see the module for its rules.
#[derive(Debug)]
pub struct Book {
    orders: Orders,
    /// By side, visible and hidden.
    ladders: [[Ladder; 2]; 2],
    styles: Styles,
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
        Self { orders: Orders::new(), ladders: [side(), side()], styles: Styles::default() }
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
            if !node.extra.is_plain() {
                return Taken::Styled(wanted);
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

    /// Trades up to `quantity` shares with the order of this handle, which is the [`front`](Self::front) and more than a place in a
    /// queue; at most what it holds before it goes to the end. Apart from [`take`](Self::take), which is the shorter for it.
    #[cold]
    pub fn take_styled(&mut self, maker: Handle, quantity: u32) -> Fill {
        let node = self.orders[maker];
        let quantity = quantity.min(node.quantity);
        let ladders = &mut self.ladders[node.side as usize];
        let remaining = self.styles.trade(&mut self.orders, ladders, maker, quantity);
        Fill { maker, agent: node.agent, id: node.id, price: price(node.side, node.key), quantity, remaining }
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
        let extra = Extra::None;
        let node = Node { next, previous, key: key(side, price), quantity, id, agent, side, qualifiers, extra };
        self.ladders[side as usize][usize::from(qualifiers.hidden)].push(&mut self.orders, node)
    }

    /// The same for an order of this style.
    pub fn rest_styled(&mut self, order: Resting, style: Style) -> Handle {
        let Resting { side, price, quantity, qualifiers, .. } = order;
        if style.comply {
            let better = Price::new(price.cents() + side.sign());
            let Some(better) = better.filter(|better| !self.would_take(side, *better)) else { return self.rest(order) };
            let shadow = self.rest(order);
            self.orders[shadow].extra = Extra::Shadow;
            let handle =
                self.rest(Resting { price: better, qualifiers: Qualifiers { hidden: true, ..qualifiers }, ..order });
            self.orders[handle].extra = Extra::Styled;
            self.styles.insert(handle, Entry::Comply { shadow });
            return handle;
        }
        let Style { shown, slides, .. } = style;
        if shown == 0 {
            let handle = self.rest(order);
            self.orders[handle].extra = if slides { Extra::Slides } else { Extra::None };
            return handle;
        }
        let in_queue = quantity.min(shown);
        let handle = self.rest(Resting { quantity: in_queue, ..order });
        self.orders[handle].extra = Extra::Styled;
        self.styles.insert(handle, Entry::Iceberg { shown, reserve: quantity - in_queue, slides });
        handle
    }

    /// How the order of this handle rests; a price-to-comply order that found no better price rests plainly.
    #[must_use]
    pub fn style(&self, handle: Handle) -> Style {
        match self.orders.get(handle).map(|node| node.extra) {
            Some(Extra::Slides) => Style { slides: true, ..Style::PLAIN },
            Some(Extra::Styled | Extra::Shadow) => self.styles.style(handle),
            Some(Extra::None) | None => Style::PLAIN,
        }
    }

    /// The order of this handle; `None` if it rests no more and its number was not given to another.
    #[must_use]
    #[inline]
    pub fn order(&self, handle: Handle) -> Option<Resting> {
        let node = self.orders.get(handle)?;
        let mut order = terms(node);
        // Only what differs comes back, in registers: an order that may come through memory costs each caller a stall.
        if !node.extra.is_plain() {
            (order.price, order.quantity, order.qualifiers) = self.styled_terms(handle, node);
        }
        Some(order)
    }

    /// Takes an order out and returns what it was.
    #[inline]
    pub fn remove(&mut self, handle: Handle) -> Option<Resting> {
        let node = self.orders.get(handle)?;
        if !node.extra.is_plain() {
            return self.remove_styled(handle);
        }
        let order = terms(node);
        self.ladders[order.side as usize][usize::from(order.qualifiers.hidden)].unlink(&mut self.orders, handle);
        Some(order)
    }

    #[cold]
    fn remove_styled(&mut self, handle: Handle) -> Option<Resting> {
        let order = self.order(handle)?;
        self.styles.unlink(&mut self.orders, &mut self.ladders[order.side as usize], handle);
        Some(order)
    }

    /// Takes up to `by` shares off an order, which keeps its place, or all of it out. Returns what remains.
    pub fn reduce(&mut self, handle: Handle, by: u32) -> Option<u32> {
        let order = self.order(handle)?;
        if by >= order.quantity {
            self.remove(handle);
            return Some(0);
        }
        let ladders = &mut self.ladders[order.side as usize];
        if self.orders[handle].extra.is_plain() {
            ladders[usize::from(order.qualifiers.hidden)].shrink(&mut self.orders, handle, by);
        } else {
            self.styles.reduce(&mut self.orders, ladders, handle, by);
        }
        Some(order.quantity - by)
    }

    /// The price at which a taker on `side` would trade first, hidden orders included.
    #[must_use]
    pub fn best(&self, side: Side) -> Option<Price> {
        let maker_side = side.opposite();
        let best = self.ladders[maker_side as usize].iter().map(Ladder::best).min().unwrap_or(NO_KEY);
        (best != NO_KEY).then(|| price(maker_side, best))
    }

    /// The order with which a taker on `side` would trade first.
    #[must_use]
    pub fn front(&mut self, side: Side) -> Option<Handle> {
        let [visible, hidden] = &mut self.ladders[side.opposite() as usize];
        let ladder = if visible.best() <= hidden.best() { visible } else { hidden };
        (ladder.best() != NO_KEY).then(|| ladder.front())
    }

    /// Every order of a side, by the price at which it trades, visible before hidden, first come first; with that price.
    pub fn queue(&self, side: Side) -> Vec<(Price, Handle)> {
        let of = |ladder: &Ladder| -> Vec<(u32, Handle)> {
            ladder.queues(&self.orders).flat_map(|(key, queue)| queue.map(move |handle| (key, handle))).collect()
        };
        let [visible, hidden] = &self.ladders[side as usize];
        let mut all = of(visible);
        all.retain(|(_, handle)| self.orders[*handle].extra != Extra::Shadow);
        all.append(&mut of(hidden));
        // Stable, so visible stay before hidden.
        all.sort_by_key(|(key, _)| *key);
        all.into_iter().map(|(key, handle)| (price(side, key), handle)).collect()
    }

    /// Whether `quantity` shares can be taken at once within `limit`. `own` says what to make of the orders of the taker itself. It looks at
    /// [`FILL_STEPS_MAX`] orders at most and counts on nothing behind them.
    #[must_use]
    pub fn can_fill(&self, side: Side, limit: Option<Price>, quantity: u32, agent: AgentIndex, own: OwnOrders) -> bool {
        let maker_side = side.opposite();
        let limit = limit.map_or(NO_KEY - 1, |price| key(maker_side, price));
        let [visible, hidden] = &self.ladders[maker_side as usize];
        let (mut visible, mut hidden) = (visible.queues(&self.orders), hidden.queues(&self.orders));
        let (mut next_visible, mut next_hidden) = (visible.next(), hidden.next());
        let (mut found, mut meets_own, mut steps) = (0, false, 0);
        let mut count = |handle: Handle| {
            steps += 1;
            if steps > FILL_STEPS_MAX {
                return Err(Unfillable);
            }
            let node = &self.orders[handle];
            match own {
                _ if node.extra == Extra::Shadow => {}
                OwnOrders::Skip if node.agent == agent => {}
                OwnOrders::Refuse if node.agent == agent => meets_own = true,
                _ => found += u64::from(node.quantity) + u64::from(self.styles.reserve(handle, node)),
            }
            if meets_own { Err(Unfillable) } else { Ok(found) }
        };
        loop {
            let best = [&next_visible, &next_hidden].map(|next| next.as_ref().map_or(NO_KEY, |(key, _)| *key));
            let price = best[0].min(best[1]);
            if price > limit {
                return false;
            }
            let mut so_far = Ok(0);
            if best[0] == price
                && let Some((_, mut queue)) = next_visible.take()
            {
                so_far = queue.try_fold(0, |_, handle| count(handle));
                next_visible = visible.next();
            }
            if so_far.is_ok()
                && best[1] == price
                && let Some((_, mut queue)) = next_hidden.take()
            {
                so_far = queue.try_fold(0, |_, handle| count(handle));
                next_hidden = hidden.next();
            }
            match so_far {
                Err(_) => return false,
                Ok(found) if found >= u64::from(quantity) => return true,
                Ok(_) => {}
            }
        }
    }

    /// The terms of an order that is more than its node.
    #[cold]
    fn styled_terms(&self, handle: Handle, node: &Node) -> (Price, u32, Qualifiers) {
        let order = terms(node);
        match self.styles.get(handle) {
            Some(Entry::Iceberg { reserve, .. }) => (order.price, order.quantity + reserve, order.qualifiers),
            Some(Entry::Comply { shadow }) => {
                let shown = terms(&self.orders[shadow]);
                (shown.price, order.quantity, shown.qualifiers)
            }
            None => (order.price, order.quantity, order.qualifiers),
        }
    }

    /// The best visible level.
    #[must_use]
    #[inline]
    pub fn top(&self, side: Side) -> Option<Level> {
        let ladder = &self.ladders[side as usize][0];
        let quantity = ladder.best_quantity();
        (quantity > 0).then(|| Level { price: price(side, ladder.best()), quantity })
    }

    /// Visible shares that stand before the order at its price; all of them before a hidden one. `None` if there is no such order, or if more
    /// than `steps` orders stand both before and behind it: looking on would cost as much as somebody cares to pile up.
    #[must_use]
    pub fn ahead(&self, handle: Handle, steps: usize) -> Option<u64> {
        let order = self.orders.get(handle)?;
        let level = self.ladders[order.side as usize][0].quantity_at(order.key);
        if order.qualifiers.hidden {
            return Some(level);
        }
        let (mut before, mut ahead) = (order.previous, 0);
        let (mut behind, mut rest) = (order.next, u64::from(order.quantity));
        for _ in 0..=steps {
            step();
            let Some(node) = self.orders.get(before) else { return Some(ahead) };
            (before, ahead) = (node.previous, ahead + u64::from(node.quantity));
            let Some(node) = self.orders.get(behind) else { return Some(level - rest) };
            (behind, rest) = (node.next, rest + u64::from(node.quantity));
        }
        None
    }

    /// Visible levels, best first.
    pub fn levels(&self, side: Side) -> impl Iterator<Item = Level> {
        self.ladders[side as usize][0].levels().map(move |(key, quantity)| Level { price: price(side, key), quantity })
    }

    /// Keeps note of changes of visible levels from here on, for [`changes`](Self::changes).
    pub fn watch(&mut self) {
        for [visible, _] in &mut self.ladders {
            visible.watch();
        }
    }

    /// Calls `tell` with each visible level that may have changed since the last call, bids first, best first; without shares if it
    /// is gone.
    pub fn changes(&mut self, mut tell: impl FnMut(Side, Level)) {
        for side in [Side::Buy, Side::Sell] {
            let [visible, _] = &mut self.ladders[side as usize];
            visible.changes(|key, quantity| tell(side, Level { price: price(side, key), quantity }));
        }
    }

    /// Keeps note, from here on, of the book as it is without the visible orders of each of these agents or groups. The book is empty.
    pub fn watch_without(&mut self, left_out: &[LeftOut]) {
        for [visible, _] in &mut self.ladders {
            visible.watch_without(left_out);
        }
    }

    /// The best visible price without the orders of the agents of this number among those left out.
    #[must_use]
    #[inline]
    pub fn best_without(&self, number: usize, side: Side) -> Option<Price> {
        let best = self.ladders[side as usize][0].best_without(number);
        (best != NO_KEY).then(|| price(side, best))
    }

    #[cfg(test)]
    pub(crate) fn steps_without(&self, side: Side) -> u64 {
        self.ladders[side as usize][0].steps_without()
    }

    /// Visible levels without the shares of this agent, best first; looks at every order down to the level.
    pub fn levels_without(&self, side: Side, agent: AgentIndex) -> impl Iterator<Item = Level> {
        self.ladders[side as usize][0].queues(&self.orders).filter_map(move |(key, queue)| {
            let others = queue.map(|handle| &self.orders[handle]).filter(|node| node.agent != agent);
            let quantity = others.map(|node| u64::from(node.quantity)).sum();
            (quantity > 0).then(|| Level { price: price(side, key), quantity })
        })
    }

    /// Visible shares on a side, all levels together.
    #[must_use]
    pub fn visible_quantity(&self, side: Side) -> u64 {
        self.ladders[side as usize][0].quantity()
    }
}

#[inline]
fn terms(node: &Node) -> Resting {
    let Node { key, quantity, id, agent, side, qualifiers, .. } = *node;
    Resting { agent, id, side, price: price(side, key), quantity, qualifiers }
}
