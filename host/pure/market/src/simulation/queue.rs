//! The event queue: happenings in order of (time, class, sequence).
//!
//! Invariant: what is pushed later never comes before what was pushed earlier with the same time and class. Payloads stay put
//! in a slab while the heap moves small keys.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use assay_model::Time;

/// What comes first among happenings of the same nanosecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Class {
    /// Opening and closing: who arrives at the close is late.
    Hours = 0,
    /// A message reaches the exchange.
    Exchange = 1,
    /// A message reaches an agent, or a busy agent turns to its inbox.
    Agent = 2,
    /// A wake-up: it sees what arrived at the same time.
    Timer = 3,
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Queue<T> {
    messages: Heap,
    /// Apart, because there are many and they are far off: messages come and go above them in a small heap.
    timers: Heap,
    slab: Vec<Option<T>>,
    free: Vec<u32>,
    sequence: u64,
}

/// Time, class and sequence, slot; the least first.
type Heap = BinaryHeap<Reverse<(Time, u64, u32)>>;

/// The class takes the key's top byte; 2^56 happenings outlast any machine.
const CLASS_SHIFT: u32 = 56;

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        Self { messages: Heap::new(), timers: Heap::new(), slab: Vec::new(), free: Vec::new(), sequence: 0 }
    }

    pub(super) fn push(&mut self, at: Time, class: Class, happening: T) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slab.push(None);
            // Slots are reused, so there are as many as happenings were ever pending at once; see `REQUESTS_IN_FLIGHT_MAX`.
            (self.slab.len() - 1) as u32
        });
        self.slab[slot as usize] = Some(happening);
        let heap = if class == Class::Timer { &mut self.timers } else { &mut self.messages };
        heap.push(Reverse((at, (u64::from(class as u8) << CLASS_SHIFT) | self.sequence, slot)));
        self.sequence += 1;
    }

    pub(super) fn pop(&mut self) -> Option<(Time, T)> {
        // Reversed, so the greater is the one that comes first; an empty heap's none is less than anything.
        let heap = if self.timers.peek() > self.messages.peek() { &mut self.timers } else { &mut self.messages };
        let Reverse((at, _, slot)) = heap.pop()?;
        self.free.push(slot);
        self.slab[slot as usize].take().map(|happening| (at, happening))
    }
}
