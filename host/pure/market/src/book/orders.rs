//! The slab that holds every resting order of a book, and the handles that name them.
//!
//! Invariant: a slot in use has a quantity above zero; a free slot has quantity zero and links to the next free one. Slots are used
//! again, last freed first, so a busy book stays in the processor's cache.

use crate::AgentIndex;
use assay_model::{OrderId, Qualifiers, Side};
use std::ops::{Index, IndexMut};

/// Names a resting order from the moment it rests until it leaves the book; the number may then name another order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Handle(pub(crate) u32);

impl Handle {
    /// No order: the end of a list.
    pub(crate) const NIL: Self = Self(u32::MAX);
}

/// One resting order: its place in the queue and its terms. 32 bytes, so two to a cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The order behind it at its price; in a free slot, the next free one.
    pub(super) next: Handle,
    /// The order before it at its price.
    pub(super) previous: Handle,
    /// The price as its ladder counts it.
    pub(super) key: u32,
    /// Remaining shares.
    pub(super) quantity: u32,
    pub(super) id: OrderId,
    pub(super) agent: AgentIndex,
    pub(super) side: Side,
    pub(super) qualifiers: Qualifiers,
    pub(super) extra: Extra,
}

const _: () = assert!(size_of::<Node>() == 32);

/// Whether there is more to an order than its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extra {
    /// There is not.
    None,
    /// It is post-only and moves rather than being refused, which matters only when it is changed.
    Slides,
    /// It has an entry among the styles.
    Styled,
    /// It is not an order, but the shadow of one: shares that are shown here and trade elsewhere.
    Shadow,
}

impl Extra {
    /// Whether it trades, shrinks and leaves as a place in a queue does.
    #[inline(always)]
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Self::None | Self::Slides)
    }
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Orders {
    nodes: Vec<Node>,
    free: Handle,
}

impl Orders {
    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), free: Handle::NIL }
    }

    #[inline(always)]
    pub(super) fn insert(&mut self, node: Node) -> Handle {
        let handle = self.free;
        if let Some(slot) = self.nodes.get_mut(handle.0 as usize) {
            self.free = slot.next;
            *slot = node;
            return handle;
        }
        // 2^32 slots of 32 bytes do not fit the memory of any machine this runs on, so the cast is exact.
        let handle = Handle(self.nodes.len() as u32);
        self.nodes.push(node);
        handle
    }

    pub(super) fn remove(&mut self, handle: Handle) {
        let free = self.free;
        let slot = &mut self[handle];
        slot.quantity = 0;
        slot.next = free;
        self.free = handle;
    }

    /// The order, unless the slot is free or was never used.
    #[inline(always)]
    pub(super) fn get(&self, handle: Handle) -> Option<&Node> {
        self.nodes.get(handle.0 as usize).filter(|node| node.quantity > 0)
    }
}

impl Index<Handle> for Orders {
    type Output = Node;
    fn index(&self, handle: Handle) -> &Node {
        &self.nodes[handle.0 as usize]
    }
}

impl IndexMut<Handle> for Orders {
    fn index_mut(&mut self, handle: Handle) -> &mut Node {
        &mut self.nodes[handle.0 as usize]
    }
}
