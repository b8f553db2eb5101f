//! A unit, where it comes from, and where its result goes.
//!
//! Invariant: the ports promise little, so that a queue between machines can be behind them: it may deliver a unit twice, late, or out of order.

use crate::trouble::Trouble;

/// One of the many things that are done. Its key and its sample say which; the rest says how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// What it is about: a submission, a task, a scenario.
    pub key: String,
    /// Where its randomness comes from, the same in each attempt; 0 where it has none of its own.
    pub seed: u64,
    /// Which sample of the key, from 1.
    pub sample: u32,
    /// How often it was tried before, in this run or, where whoever delivers it counts those, in another.
    pub retry: u32,
}

impl Unit {
    /// The only sample of a key, without randomness of its own and never tried.
    pub fn new(key: impl Into<String>) -> Self {
        Self { key: key.into(), seed: 0, sample: 1, retry: 0 }
    }

    /// What stays the same over attempts and deliveries.
    #[must_use]
    pub fn id(&self) -> (String, u32) {
        (self.key.clone(), self.sample)
    }
}

/// Where units come from. Every iterator over units is one.
pub trait Source {
    /// The next unit; none once there are no more. Whoever makes the source bounds their number: a run remembers the name of each. It may wait for one, and
    /// then looks at the run's stop itself.
    fn deliver(&mut self) -> Option<Unit>;
}

impl<I: Iterator<Item = Unit>> Source for I {
    fn deliver(&mut self) -> Option<Unit> {
        self.next()
    }
}

/// Where results go. Every closure of this form is one.
pub trait Sink<T> {
    /// What ends the run: a result cannot be kept.
    type Failure;

    /// Keeps what a unit came to. It returns once that survives a crash, and tells of it only then. A run calls it once for each unit; where several
    /// processes keep in one place, a result for a unit that has one is dropped.
    ///
    /// # Errors
    /// The result cannot be kept, and no other can.
    fn keep(&mut self, unit: &Unit, result: Result<T, Trouble>) -> Result<(), Self::Failure>;
}

impl<T, E, F: FnMut(&Unit, Result<T, Trouble>) -> Result<(), E>> Sink<T> for F {
    type Failure = E;

    fn keep(&mut self, unit: &Unit, result: Result<T, Trouble>) -> Result<(), E> {
        self(unit, result)
    }
}
