//! What the rarer kinds of resting orders need beyond a place in a queue, kept out of the ladders.
//!
//! Invariants: an order has an entry here exactly while it rests and its node says `Styled`; an iceberg's node holds the shown shares,
//! its entry the rest; a price-to-comply order is two nodes, the one that trades among the hidden orders and its shadow, of equal quantity,
//! among the visible ones at the next worse price, where matching never gets before it is done with the first.

use super::orders::{Extra, Handle, Node, Orders};
use super::{Ladder, Style};
use std::collections::BTreeMap;

/// See the module documentation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// Shares shown at a time, shares not shown now, and whether it slides.
    Iceberg { shown: u32, reserve: u32, slides: bool },
    /// The shadow.
    Comply { shadow: Handle },
}

/// By handle.
#[derive(Debug, Default)]
pub(super) struct Styles(BTreeMap<Handle, Entry>);

impl Styles {
    pub(super) fn insert(&mut self, handle: Handle, entry: Entry) {
        self.0.insert(handle, entry);
    }

    pub(super) fn get(&self, handle: Handle) -> Option<Entry> {
        self.0.get(&handle).copied()
    }

    pub(super) fn style(&self, handle: Handle) -> Style {
        match self.get(handle) {
            None => Style::PLAIN,
            Some(Entry::Iceberg { shown, slides, .. }) => Style { shown, slides, comply: false },
            Some(Entry::Comply { .. }) => Style { comply: true, ..Style::PLAIN },
        }
    }

    /// Shares of the order that its node does not hold.
    pub(super) fn reserve(&self, handle: Handle, node: &Node) -> u32 {
        match node.extra {
            Extra::Styled => match self.get(handle) {
                Some(Entry::Iceberg { reserve, .. }) => reserve,
                _ => 0,
            },
            Extra::None | Extra::Slides | Extra::Shadow => 0,
        }
    }

    /// Takes the order out of everything.
    #[cold]
    pub(super) fn unlink(&mut self, orders: &mut Orders, [visible, hidden]: &mut [Ladder; 2], handle: Handle) {
        let ladder = if orders[handle].qualifiers.hidden { hidden } else { &mut *visible };
        ladder.unlink(orders, handle);
        if let Some(Entry::Comply { shadow }) = self.0.remove(&handle) {
            visible.unlink(orders, shadow);
        }
    }

    /// Takes `by` shares, at most what the node holds, that have traded; returns what remains of the order.
    #[cold]
    pub(super) fn trade(&mut self, orders: &mut Orders, ladders: &mut [Ladder; 2], handle: Handle, by: u32) -> u32 {
        let node = orders[handle];
        let left = node.quantity - by;
        let [visible, hidden] = ladders;
        match self.0.get_mut(&handle) {
            Some(Entry::Iceberg { shown, reserve, .. }) if left == 0 && *reserve > 0 => {
                let refill = (*shown).min(*reserve);
                *reserve -= refill;
                let remaining = refill + *reserve;
                visible.move_last(orders, handle, refill);
                return remaining;
            }
            Some(Entry::Iceberg { reserve, .. }) if left > 0 => {
                let remaining = left + *reserve;
                visible.shrink(orders, handle, by);
                return remaining;
            }
            Some(Entry::Comply { shadow }) if left > 0 => {
                visible.shrink(orders, *shadow, by);
                hidden.shrink(orders, handle, by);
            }
            _ if left > 0 => {
                let ladder = if node.qualifiers.hidden { hidden } else { visible };
                ladder.shrink(orders, handle, by);
            }
            _ => self.unlink(orders, ladders, handle),
        }
        left
    }

    /// Takes `by` shares, fewer than it has, off the order, an iceberg's hidden shares first; it keeps its place.
    pub(super) fn reduce(&mut self, orders: &mut Orders, ladders: &mut [Ladder; 2], handle: Handle, by: u32) {
        let mut by = by;
        if let Some(Entry::Iceberg { reserve, .. }) = self.0.get_mut(&handle) {
            let hidden = by.min(*reserve);
            *reserve -= hidden;
            by -= hidden;
        }
        if by > 0 {
            // Fewer than the node holds, so that this neither ends nor refills it.
            self.trade(orders, ladders, handle, by);
        }
    }
}
