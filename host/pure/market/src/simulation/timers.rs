//! Timers in order: a small heap of those that are near, and of those that are far a heap-to-be for each span of time.
//!
//! A far timer costs an append now and a place in a heap of some dozen later, however many there are. Invariant: the near heap holds every timer up to
//! the end of the current span, and is empty only if there is no timer at all.

use std::collections::BinaryHeap;

use assay_model::Time;

use super::entry::{Entry, due};

/// Timers expected in a span. Fewer would make the spans' own memory the larger part.
const PER_SPAN: usize = 16;
const SPANS_MAX: usize = 1 << 12;

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Timers {
    near: BinaryHeap<Entry>,
    /// By span; those up to the current are empty.
    far: Vec<Vec<Entry>>,
    current: usize,
    from: Time,
    /// Nanoseconds in a span.
    span: u64,
    /// A span has become the current one and has not been asked for.
    moved: bool,
}

impl Default for Timers {
    fn default() -> Self {
        Self::new(0, Time(0), Time(0))
    }
}

impl Timers {
    /// For about `count` timers between two times. Others have their place in the first or the last span.
    pub(super) fn new(count: usize, from: Time, until: Time) -> Self {
        let spans = (count / PER_SPAN).clamp(1, SPANS_MAX);
        let span = (until.since(from).0 / spans as u64).max(1);
        Self { near: BinaryHeap::new(), far: vec![Vec::new(); spans], current: 0, from, span, moved: false }
    }

    pub(super) fn push(&mut self, entry: Entry) {
        let span = (due(entry).0.saturating_sub(self.from.0) / self.span).min(self.far.len() as u64 - 1) as usize;
        if span <= self.current {
            self.near.push(entry);
        } else {
            self.far[span].push(entry);
            self.move_on();
        }
    }

    pub(super) fn peek(&self) -> Option<&Entry> {
        self.near.peek()
    }

    pub(super) fn pop(&mut self) -> Option<Entry> {
        let entry = self.near.pop();
        self.move_on();
        entry
    }

    /// The timers of a span that has become the current one since the last call, in no order.
    pub(super) fn come_near(&mut self) -> Option<&[Entry]> {
        std::mem::take(&mut self.moved).then_some(self.near.as_slice())
    }

    /// Makes the next span with a timer the current one if nothing is near.
    fn move_on(&mut self) {
        while self.near.is_empty() && self.current + 1 < self.far.len() {
            self.current += 1;
            self.near = BinaryHeap::from(std::mem::take(&mut self.far[self.current]));
            self.moved = true;
        }
    }
}
