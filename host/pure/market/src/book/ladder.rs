//! The price levels of one side, visible or hidden: a dense window around the touch and an ordered map for the rest.
//!
//! Prices are counted as *keys*, lower is better on both sides, so that one ladder serves bids and offers alike.
//!
//! Invariants: a level exists (its bit is set, or it is in the overflow map) exactly while it has orders; `best` is the lowest key with
//! a level; `quantity` is the sum of all levels. Nothing here costs more than a constant plus the overflow map's logarithm,
//! amortised: the window moves only after [`RECENTRE_AFTER`] orders missed it, and moving it costs at most `WINDOW` levels each way.

use super::key::NO_KEY;
use super::orders::{Handle, Node, Orders};
use super::others::Others;
use crate::steps::step;
use crate::{AgentIndex, LeftOut};
use std::collections::BTreeMap;
use std::iter;

/// Levels in the dense window: 64 words of occupancy under one summary word. rmsc03, the widest of the presets, moves some
/// 7,000 ticks in a day, but its orders lie within some hundreds of the touch.
const WINDOW: u32 = 64 * 64;
/// Where in the window the touch is put: liquidity lies on the worse side of it, so that side gets three quarters.
const TOUCH_AT: u32 = WINDOW / 4;
/// Orders that may miss the window before it is moved to the touch. Large enough that orders at wild prices cannot make the
/// window swing to and fro on each event, small enough that a real move of the market is soon followed.
const RECENTRE_AFTER: u32 = 1_024;

/// First in, first out: the orders at one price.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    first: Handle,
    last: Handle,
    /// Shares of all its orders.
    pub(super) quantity: u64,
}

impl Queue {
    const EMPTY: Self = Self { first: Handle::NIL, last: Handle::NIL, quantity: 0 };
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Ladder {
    best: u32,
    /// The key of the window's first level.
    base: u32,
    window: Box<[Queue; WINDOW as usize]>,
    occupied: [u64; 64],
    /// Bit `w` is set while `occupied[w]` is not zero.
    summary: u64,
    overflow: BTreeMap<u32, Queue>,
    /// Orders that were put outside the window since it last moved.
    misses: u32,
    quantity: u64,
    /// What is told beyond what matching needs; nothing while nobody asks.
    watch: Option<Box<Watch>>,
}

/// Who wants to hear of changes.
#[derive(Debug, Default)]
struct Watch {
    /// Keys whose quantity may have changed since somebody last asked, with repetitions, if anybody does.
    touched: Option<Vec<u32>>,
    /// The agents whose orders somebody wants left out.
    others: Vec<Others>,
}

impl Ladder {
    pub(super) fn new() -> Self {
        Self {
            best: NO_KEY,
            base: 0,
            window: Box::new([Queue::EMPTY; WINDOW as usize]),
            occupied: [0; 64],
            summary: 0,
            overflow: BTreeMap::new(),
            misses: 0,
            quantity: 0,
            watch: None,
        }
    }

    /// Keeps note of changes from here on.
    pub(super) fn watch(&mut self) {
        self.watch.get_or_insert_default().touched = Some(Vec::new());
    }

    /// Keeps note, from here on, of the levels at which others than each of these show shares. The ladder is empty.
    pub(super) fn watch_without(&mut self, left_out: &[LeftOut]) {
        debug_assert_eq!(self.best, NO_KEY, "an agent's earlier orders would not be known");
        self.watch.get_or_insert_default().others = left_out.iter().map(|left_out| Others::new(*left_out)).collect();
    }

    /// The best key without the orders of the agents of this number among those left out; [`NO_KEY`] if there is none.
    #[inline]
    pub(super) fn best_without(&self, number: usize) -> u32 {
        let others = self.watch.as_ref().and_then(|watch| watch.others.get(number));
        others.map_or(self.best, |others| others.best(self.best))
    }

    #[cfg(test)]
    pub(super) fn steps_without(&self) -> u64 {
        self.watch.iter().flat_map(|watch| &watch.others).map(Others::steps).sum()
    }

    /// Calls `tell` with each key whose quantity may have changed since the last call, best first, and its quantity now.
    pub(super) fn changes(&mut self, mut tell: impl FnMut(u32, u64)) {
        let Some(mut touched) = self.watch.as_mut().and_then(|watch| watch.touched.take()) else { return };
        touched.sort_unstable();
        touched.dedup();
        for key in touched.drain(..) {
            tell(key, self.quantity_at(key));
        }
        self.watch.get_or_insert_default().touched = Some(touched);
    }

    /// The shares of `agent` at `key` have changed by `delta`.
    #[inline]
    fn note(&mut self, key: u32, agent: AgentIndex, change: i64) {
        if self.watch.is_some() {
            self.tell(key, agent, change);
        }
    }

    #[inline(never)]
    fn tell(&mut self, key: u32, agent: AgentIndex, change: i64) {
        let total = self.quantity_at(key);
        let Some(mut watch) = self.watch.take() else { return };
        if let Some(touched) = &mut watch.touched {
            touched.push(key);
        }
        for others in &mut watch.others {
            if others.begins_with(agent) {
                let is_new = |level: u32| level == key && total.checked_add_signed(-change) == Some(0);
                others.start(self.levels().map(|(level, _)| level).filter(|level| !is_new(*level)));
            }
            others.note(key, agent, change, total);
        }
        self.watch = Some(watch);
    }

    /// The best key, [`NO_KEY`] when the ladder is empty.
    pub(super) fn best(&self) -> u32 {
        self.best
    }

    /// Shares on all levels.
    pub(super) fn quantity(&self) -> u64 {
        self.quantity
    }

    /// Shares on the best level; 0 when the ladder is empty.
    #[inline(always)]
    pub(super) fn best_quantity(&self) -> u64 {
        self.quantity_at(self.best)
    }

    #[inline(always)]
    pub(super) fn quantity_at(&self, key: u32) -> u64 {
        match self.slot(key) {
            Some(slot) => self.window[slot].quantity,
            None => self.overflow.get(&key).map_or(0, |queue| queue.quantity),
        }
    }

    /// Keys and shares, best first.
    pub(super) fn levels(&self) -> impl Iterator<Item = (u32, u64)> {
        let window =
            bits(self.summary).flat_map(|word| bits(self.occupied[word as usize]).map(move |bit| word * 64 + bit));
        let window = window.map(|slot| (self.base + slot, self.window[slot as usize].quantity));
        let better = self.overflow.range(..self.base);
        let worse = self.overflow.range(self.base + WINDOW..);
        let outside = |(key, queue): (&u32, &Queue)| (*key, queue.quantity);
        better.map(outside).chain(window).chain(worse.map(outside)).inspect(|_| step())
    }

    /// Puts the order last at its price.
    #[inline]
    pub(super) fn push(&mut self, orders: &mut Orders, node: Node) -> Handle {
        let key = node.key;
        if self.slot(key).is_none() {
            self.miss(key);
        }
        let handle = orders.insert(Node { next: Handle::NIL, ..node });
        let queue = self.queue(key);
        let last = queue.last;
        queue.last = handle;
        queue.quantity += u64::from(node.quantity);
        if last == Handle::NIL {
            queue.first = handle;
            self.occupy(key);
        } else {
            orders[last].next = handle;
        }
        orders[handle].previous = last;
        self.quantity += u64::from(node.quantity);
        self.note(key, node.agent, i64::from(node.quantity));
        handle
    }

    /// Takes the order out.
    #[inline(always)]
    pub(super) fn unlink(&mut self, orders: &mut Orders, handle: Handle) {
        let Node { next, previous, key, quantity, agent, .. } = orders[handle];
        orders.remove(handle);
        self.quantity -= u64::from(quantity);
        let queue = self.queue(key);
        queue.quantity -= u64::from(quantity);
        if previous == Handle::NIL {
            queue.first = next;
        } else {
            orders[previous].next = next;
        }
        if next == Handle::NIL {
            queue.last = previous;
            if previous == Handle::NIL {
                self.vacate(key);
            }
        } else {
            orders[next].previous = previous;
        }
        self.note(key, agent, -i64::from(quantity));
    }

    /// The first order at the best price. The ladder must not be empty.
    #[inline]
    pub(super) fn front(&mut self) -> Handle {
        self.queue(self.best).first
    }

    /// Takes `by` shares, fewer than it has, off the order; it keeps its place.
    #[inline]
    pub(super) fn shrink(&mut self, orders: &mut Orders, handle: Handle, by: u32) {
        let node = &mut orders[handle];
        node.quantity -= by;
        self.quantity -= u64::from(by);
        self.queue(node.key).quantity -= u64::from(by);
        self.note(node.key, node.agent, -i64::from(by));
    }

    /// Puts the order last at its price, with `quantity` shares instead of those it has.
    pub(super) fn move_last(&mut self, orders: &mut Orders, handle: Handle, quantity: u32) {
        let Node { next, previous, key, quantity: before, agent, .. } = orders[handle];
        self.quantity = self.quantity - u64::from(before) + u64::from(quantity);
        let queue = self.queue(key);
        queue.quantity = queue.quantity - u64::from(before) + u64::from(quantity);
        orders[handle].quantity = quantity;
        self.note(key, agent, i64::from(quantity) - i64::from(before));
        let queue = self.queue(key);
        if next == Handle::NIL {
            return;
        }
        let last = std::mem::replace(&mut queue.last, handle);
        if previous == Handle::NIL {
            queue.first = next;
        } else {
            orders[previous].next = next;
        }
        orders[next].previous = previous;
        orders[last].next = handle;
        orders[handle].previous = last;
        orders[handle].next = Handle::NIL;
    }

    /// Keys, best first, each with its orders, first come first.
    pub(super) fn queues<'a>(
        &'a self,
        orders: &'a Orders,
    ) -> impl Iterator<Item = (u32, impl Iterator<Item = Handle> + 'a)> + 'a {
        self.levels().map(move |(key, _)| {
            let first = match self.slot(key) {
                Some(slot) => self.window[slot].first,
                None => self.overflow.get(&key).map_or(Handle::NIL, |queue| queue.first),
            };
            let next = move |handle: &Handle| {
                step();
                Some(orders[*handle].next).filter(|next| *next != Handle::NIL)
            };
            (key, iter::successors(Some(first).filter(|first| *first != Handle::NIL), next))
        })
    }

    /// The key's place in the window, if it is inside.
    #[inline]
    fn slot(&self, key: u32) -> Option<usize> {
        let offset = key.wrapping_sub(self.base);
        (offset < WINDOW).then_some(offset as usize)
    }

    #[inline]
    fn queue(&mut self, key: u32) -> &mut Queue {
        match self.slot(key) {
            Some(slot) => &mut self.window[slot],
            None => self.overflow.entry(key).or_insert(Queue::EMPTY),
        }
    }

    /// Notes that the key has a level now.
    #[inline]
    fn occupy(&mut self, key: u32) {
        if let Some(slot) = self.slot(key) {
            self.occupied[slot / 64] |= 1 << (slot % 64);
            self.summary |= 1 << (slot / 64);
        }
        self.best = self.best.min(key);
    }

    /// Notes that the key's level has lost its last order.
    #[inline]
    fn vacate(&mut self, key: u32) {
        if let Some(slot) = self.slot(key) {
            self.occupied[slot / 64] &= !(1 << (slot % 64));
            if self.occupied[slot / 64] == 0 {
                self.summary &= !(1 << (slot / 64));
            }
        } else {
            self.overflow.remove(&key);
        }
        if key == self.best {
            self.best = self.lowest();
        }
    }

    /// The lowest key that has a level, found anew.
    #[inline]
    fn lowest(&self) -> u32 {
        let outside = self.overflow.first_key_value().map_or(NO_KEY, |(key, _)| *key);
        if self.summary == 0 {
            return outside;
        }
        let word = self.summary.trailing_zeros();
        let slot = word * 64 + self.occupied[word as usize].trailing_zeros();
        outside.min(self.base + slot)
    }

    /// An order is about to be put outside the window: moves the window if it is free to move or was missed often enough.
    #[cold]
    fn miss(&mut self, key: u32) {
        if self.best == NO_KEY {
            self.base = key.saturating_sub(TOUCH_AT);
            self.misses = 0;
            return;
        }
        self.misses += 1;
        if self.misses == RECENTRE_AFTER {
            self.misses = 0;
            self.recentre(self.best.saturating_sub(TOUCH_AT));
        }
    }

    /// Moves the window so that it starts at `base`.
    fn recentre(&mut self, base: u32) {
        if self.base.abs_diff(base) < TOUCH_AT {
            // The touch is well inside: the misses were orders far from it, and belong in the overflow map.
            return;
        }
        for word in bits(std::mem::take(&mut self.summary)) {
            for bit in bits(std::mem::take(&mut self.occupied[word as usize])) {
                step();
                let slot = word * 64 + bit;
                let queue = std::mem::replace(&mut self.window[slot as usize], Queue::EMPTY);
                self.overflow.insert(self.base + slot, queue);
            }
        }
        self.base = base;
        for (key, queue) in self.overflow.extract_if(base..base + WINDOW, |_, _| true) {
            let slot = (key - base) as usize;
            self.window[slot] = queue;
            self.occupied[slot / 64] |= 1 << (slot % 64);
            self.summary |= 1 << (slot / 64);
        }
    }
}

/// The numbers of the bits that are set, lowest first.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}
