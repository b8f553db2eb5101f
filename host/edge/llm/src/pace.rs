//! How many requests one provider gets at a time: as many as it bears.
//!
//! The limit grows by one after each [`SUCCESSES_PER_STEP`] answers and halves when the provider says that it is too much (additive
//! increase, multiplicative decrease: Chiu and Jain, 1989). Requests that were already under way when it halved do not halve it
//! again: they are the same burst.
//!
//! Invariants: between 1 and the maximum are let through; a place that is dropped, at whatever point, is free again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Answers in a row that widen the limit by one.
pub const SUCCESSES_PER_STEP: u32 = 8;

/// The pace of one provider.
#[derive(Debug)]
pub(crate) struct Pace {
    max: usize,
    state: Mutex<State>,
    freed: Notify,
}

#[derive(Debug)]
struct State {
    limit: usize,
    under_way: usize,
    successes: u32,
    /// How often the limit was halved.
    halvings: u64,
}

impl Pace {
    pub(crate) fn new(max: usize) -> Self {
        let max = max.max(1);
        let state = State { limit: max, under_way: 0, successes: 0, halvings: 0 };
        Self { max, state: Mutex::new(state), freed: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place.
    pub(crate) async fn place(self: &Arc<Self>) -> Place {
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            freed.as_mut().enable();
            {
                let mut state = self.state();
                if state.under_way < state.limit {
                    state.under_way += 1;
                    return Place { pace: Arc::clone(self), halvings: state.halvings };
                }
            }
            freed.await;
        }
    }

    #[cfg(test)]
    fn limit(&self) -> usize {
        self.state().limit
    }
}

/// A place among the requests under way.
#[derive(Debug)]
pub(crate) struct Place {
    pace: Arc<Pace>,
    halvings: u64,
}

impl Place {
    /// The provider answered.
    pub(crate) fn answered(self) {
        let mut state = self.pace.state();
        state.successes += 1;
        if state.successes >= SUCCESSES_PER_STEP {
            state.successes = 0;
            if state.limit < self.pace.max {
                state.limit += 1;
                self.pace.freed.notify_one();
            }
        }
    }

    /// The provider said that it was too much.
    pub(crate) fn throttled(self) {
        let mut state = self.pace.state();
        state.successes = 0;
        if state.halvings == self.halvings {
            state.halvings += 1;
            state.limit = (state.limit / 2).max(1);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.pace.state().under_way -= 1;
        self.pace.freed.notify_one();
    }
}

/// The paces of all providers that a run talks to.
#[derive(Debug, Default)]
pub(crate) struct Paces(Mutex<BTreeMap<String, Arc<Pace>>>);

impl Paces {
    /// The pace of the provider at an address, made at its first use.
    pub(crate) fn of(&self, address: &str, max: usize) -> Arc<Pace> {
        let mut paces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(paces.entry(address.to_owned()).or_insert_with(|| Arc::new(Pace::new(max))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn take(pace: &Arc<Pace>) -> Option<Place> {
        pace.place().now_or_never()
    }

    #[test]
    fn one_burst_halves_once_and_successes_widen_again() {
        let pace = Arc::new(Pace::new(8));
        let burst: Vec<_> = std::iter::from_fn(|| take(&pace)).collect();
        assert_eq!(burst.len(), 8);
        burst.into_iter().for_each(Place::throttled);
        assert_eq!(pace.limit(), 4);
        for _ in 0..3 {
            take(&pace).expect("a place").throttled();
        }
        assert_eq!(pace.limit(), 1, "never below one");
        for _ in 0..SUCCESSES_PER_STEP {
            take(&pace).expect("a place").answered();
        }
        assert_eq!(pace.limit(), 2);
        for _ in 0..100 * SUCCESSES_PER_STEP {
            take(&pace).expect("a place").answered();
        }
        assert_eq!(pace.limit(), 8, "never above the maximum");
    }

    #[test]
    fn who_waits_can_give_up_and_who_is_left_comes_next() {
        let pace = Arc::new(Pace::new(1));
        let held = take(&pace).expect("a place");
        let mut given_up = Box::pin(pace.place());
        let mut waiting = Box::pin(pace.place());
        assert!((&mut given_up).now_or_never().is_none());
        assert!((&mut waiting).now_or_never().is_none());
        drop(given_up);
        drop(held);
        let place = waiting.now_or_never().expect("free again");
        assert!(take(&pace).is_none());
        drop(place);
        assert!(take(&pace).is_some());
    }

    #[test]
    fn models_at_one_address_share_a_pace() {
        let paces = Paces::default();
        let held = take(&paces.of("a", 1)).expect("a place");
        assert!(take(&paces.of("a", 9)).is_none());
        assert!(take(&paces.of("b", 1)).is_some());
        drop(held);
    }
}
