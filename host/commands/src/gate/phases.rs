//! Where the time of a batch goes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where the time of all submissions together went, in microseconds.
#[derive(Default)]
pub(super) struct Phases {
    /// Checks of source and component, wrapping; of Python, reading it.
    pub checks: AtomicU64,
    /// rustc and what comes before it.
    pub compile: AtomicU64,
    /// Not a time: files that rustc did not see, because it had compiled them before.
    pub kept: AtomicU64,
    /// WebAssembly to machine code.
    pub translate: AtomicU64,
    /// Episodes.
    pub market: AtomicU64,
}

/// Adds to a phase.
pub(super) fn add(phase: &AtomicU64, time: Duration) {
    phase.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
}
