//! Runs that are recorded once they are over, by any number of threads.
//!
//! Invariants: whoever records waits for a store that cannot be written no more often than every [`REST`]; it is one warning however many runs it
//! does not take; they are kept, up to a bound, and written as soon as it takes some again.

use super::{AFTER_ALL, Open, Place, REST, failure, warn};
use crate::face;
use assay_store::{Access, Known, RunEntry};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Runs that wait for a store: a bound on memory, some ten kilobytes each.
const WAITING_MAX: usize = 10_000;

/// A run that is over.
pub(crate) struct Ended {
    /// All that is known of it.
    pub entry: RunEntry,
    /// Its files, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// What becomes of what the store knows of it already.
    pub known: Known,
}

/// See the module documentation.
pub(crate) struct Register(Option<Mutex<State>>);

struct State {
    open: Open,
    waiting: VecDeque<Ended>,
    is_warned: bool,
    /// When the store was last found unwritable, as long as it has not been written since.
    failed: Option<Instant>,
}

impl Register {
    /// Opens the store for writing, if there is to be one. One that cannot be had is a warning.
    pub(crate) fn open(place: Option<&Place>) -> Self {
        let open = place.and_then(|place| Open::new(place, Access::Write).inspect_err(warn).ok());
        let state = |open| State { open, waiting: VecDeque::new(), is_warned: false, failed: None };
        Self(open.map(|open| Mutex::new(state(open))))
    }

    /// Whether there is a store.
    pub(crate) const fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Records a run.
    pub(crate) fn record(&self, ended: impl FnOnce() -> Ended) {
        let Some(state) = &self.0 else { return };
        let ended = ended();
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.waiting.len() < WAITING_MAX {
            state.waiting.push_back(ended);
        }
        state.write();
    }

    /// Writes what may still be waiting, and lets go of the store.
    pub(crate) fn close(self) {
        if let Some(state) = self.0 {
            let mut state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
            // Now or never, however short a while ago it failed.
            state.failed = None;
            state.write();
            state.open.close();
        }
    }
}

impl State {
    fn write(&mut self) {
        if self.failed.is_some_and(|failed| failed.elapsed() < REST) {
            return;
        }
        while let Some(Ended { entry, files, known }) = self.waiting.front() {
            if let Err(error) = self.open.keep(entry, files, *known) {
                let is_of_store = error.is_of_store();
                if !std::mem::replace(&mut self.is_warned, true) {
                    warn(&failure(error));
                }
                if is_of_store {
                    self.failed = Some(Instant::now());
                    return;
                }
            }
            // Also what is wrong with this one alone: it holds up no other.
            self.waiting.pop_front();
        }
        if self.failed.take().is_some() {
            face::step("Recorded", AFTER_ALL);
        }
    }
}
