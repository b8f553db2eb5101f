//! The event queue: happenings and timers in order of (time, class, sequence).
//!
//! Invariant: what is pushed later never comes before what was pushed earlier with the same time and class. An entry is one number, four to
//! a cache line; payloads of happenings stay put in a slab while the heap moves entries, and a timer's number travels in its entry.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use assay_model::Time;

use super::entry::{Entry, TIME_SHIFT, due};
use super::timers::Timers;

/// What comes first among happenings of the same nanosecond. Timers come last: a wake-up sees what arrived at the same time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Class {
    /// Opening and closing: who arrives at the close is late.
    Hours = 0,
    /// A message reaches the exchange.
    Exchange = 1,
    /// A message reaches an agent, or a busy agent turns to its inbox.
    Agent = 2,
}

const TIMER_CLASS: u64 = 3;

const CLASS_SHIFT: u32 = 62;
/// Leaves the sequence 36 bits: at a hundred nanoseconds a happening, two hours' worth.
const NUMBER_BITS: u32 = 26;

/// The greatest number of a timer.
pub(super) const TIMER_MAX: u32 = (1 << NUMBER_BITS) - 1;

/// After every entry: stands for none, so that what comes first is one comparison away.
const NONE: Entry = Reverse(u128::MAX);

/// What is next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next<T> {
    /// What was pushed.
    Happening(T),
    /// The timer of this number.
    Timer(u32),
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Queue<T> {
    /// One entry that is kept out of the heap: what has just been pushed is often what comes next, and then costs no heap.
    front: Entry,
    messages: BinaryHeap<Entry>,
    /// Apart, because there are many and they are far off: messages come and go above them in a small heap.
    timers: Timers,
    slab: Vec<Option<T>>,
    free: Vec<u32>,
    sequence: u64,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        Self {
            front: NONE,
            messages: BinaryHeap::new(),
            timers: Timers::default(),
            slab: Vec::new(),
            free: Vec::new(),
            sequence: 0,
        }
    }

    /// Prepares for `timers` timers between two times. More timers, or timers at other times, work too and cost more.
    pub(super) fn expect_timers(&mut self, count: usize, from: Time, until: Time) {
        self.timers = Timers::new(count, from, until);
    }

    /// `timer` is at most [`TIMER_MAX`].
    pub(super) fn set_timer(&mut self, at: Time, timer: u32) {
        let entry = self.entry(at, TIMER_CLASS, timer);
        self.timers.push(entry);
    }

    pub(super) fn push(&mut self, at: Time, class: Class, happening: T) {
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slab[slot as usize] = Some(happening);
                slot
            }
            None => self.grow(happening),
        };
        let entry = self.entry(at, class as u64, slot);
        // The later of the two goes into the heap.
        let later = self.front.min(entry);
        self.front = self.front.max(entry);
        if later != NONE {
            self.messages.push(later);
        }
    }

    fn entry(&mut self, at: Time, class: u64, number: u32) -> Entry {
        assert!(self.sequence < 1 << (CLASS_SHIFT - NUMBER_BITS), "no episode is so long");
        let order = class << CLASS_SHIFT | self.sequence << NUMBER_BITS | u64::from(number);
        self.sequence += 1;
        Reverse(u128::from(at.0) << TIME_SHIFT | u128::from(order))
    }

    /// Slots are reused, so there are as many as happenings were ever pending at once.
    #[cold]
    fn grow(&mut self, happening: T) -> u32 {
        assert!(
            self.slab.len() <= TIMER_MAX as usize,
            "the number of pending happenings is bounded: agents and their orders are limited"
        );
        self.slab.push(Some(happening));
        (self.slab.len() - 1) as u32
    }

    /// The timers that have come near together since the last call, in no order: those that will be popped soon.
    pub(super) fn come_near(&mut self) -> Option<impl Iterator<Item = u32>> {
        let entries = self.timers.come_near()?;
        Some(entries.iter().map(|entry| entry.0 as u32 & TIMER_MAX))
    }

    /// When the next one is due, if there is one.
    pub(super) fn next_at(&self) -> Option<Time> {
        let first = self.front.max(first(self.messages.peek())).max(first(self.timers.peek()));
        (first != NONE).then_some(due(first))
    }

    /// The next one, if it is due before `until`.
    pub(super) fn pop_before(&mut self, until: Time) -> Option<(Time, Next<T>)> {
        let (front, timer) = (self.front, first(self.timers.peek()));
        let message = front.max(first(self.messages.peek()));
        let entry = message.max(timer);
        let (at, number) = (due(entry), entry.0 as u32 & TIMER_MAX);
        if at >= until {
            return None;
        }
        if entry == timer {
            self.timers.pop();
            return Some((at, Next::Timer(number)));
        }
        if entry == front {
            self.front = NONE;
        } else {
            self.messages.pop();
        }
        self.free.push(number);
        self.slab[number as usize].take().map(|happening| (at, Next::Happening(happening)))
    }
}

/// What comes first is the greatest, because entries are reversed.
fn first(top: Option<&Entry>) -> Entry {
    top.copied().unwrap_or(NONE)
}
