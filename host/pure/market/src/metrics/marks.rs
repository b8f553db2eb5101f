//! What a position is marked at: the mid of the book without the trader's own orders, time-weighted over the last ten seconds.
//!
//! Invariant: no order that the trader shows moves it, and what a trade of its own does to it takes ten seconds to count whole. While a
//! side is empty the last mid holds.

use assay_model::{Nanos, Time};
use std::collections::VecDeque;

/// Over how long the mid is averaged: far longer than anybody can keep others from quoting anew, short against a minute's return.
pub const MARK_WINDOW: Nanos = Nanos::from_secs(10);

/// See the module documentation. Mids in half cents; the path holds those of the window, so it is bounded by what others do in it.
#[derive(Debug, Default)]
pub(super) struct Mark {
    /// Since when each mid has held.
    path: VecDeque<(Time, i64)>,
    /// Mid times nanoseconds from the first entry to the last.
    integral: i128,
}

/// A mean mid: half cents times nanoseconds, and nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mean {
    pub(super) sum: i128,
    pub(super) duration: i128,
}

impl Mark {
    /// The mid is `mid` from `at` on.
    pub(super) fn set(&mut self, at: Time, mid: i64) {
        if let Some((since, last)) = self.path.back_mut() {
            if *last == mid {
                return;
            }
            if *since == at {
                // What lasted no time was not a state of the market.
                *last = mid;
                return;
            }
            self.integral += i128::from(*last) * i128::from(at.since(*since).0);
        }
        self.path.push_back((at, mid));
        self.forget(at);
    }

    /// Drops what lies before the window that ends at `at`.
    fn forget(&mut self, at: Time) {
        while let [Some((first, mid)), Some((second, _))] = [self.path.front(), self.path.get(1)]
            && *second + MARK_WINDOW <= at
        {
            self.integral -= i128::from(*mid) * i128::from(second.since(*first).0);
            self.path.pop_front();
        }
    }

    /// The mean as of `at`, not before any time asked for earlier; over as much of the window as a mid has been known.
    pub(super) fn mean(&mut self, at: Time) -> Option<Mean> {
        self.forget(at);
        let [(first, oldest), (last, newest)] = [*self.path.front()?, *self.path.back()?];
        let from = Time(at.0.saturating_sub(MARK_WINDOW.0)).max(first);
        let duration = i128::from(at.since(from).0);
        if duration == 0 {
            return Some(Mean { sum: i128::from(newest), duration: 1 });
        }
        let sum = self.integral + i128::from(newest) * i128::from(at.since(last).0)
            - i128::from(oldest) * i128::from(from.since(first).0);
        Some(Mean { sum, duration })
    }
}
