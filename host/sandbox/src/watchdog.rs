//! The watchdog: what ends a guest that the fuel somehow does not stop.
//!
//! For compiled strategies it is a thread that advances the engine's epoch, at which the guest is looked at; for Python a [`Deadline`] that the
//! host asks at every slice and in every call. Invariant: what counts is processor time of the thread that runs the guest, never the clock on
//! the wall. So a busy machine stops nobody, and whoever is stopped has computed for so long and has failed.

use assay_jail::Allowance;
use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use wasmtime::Engine;

/// Epochs in one watchdog period. More make the kill more punctual and wake the thread more often.
const TICKS: u32 = 8;

/// Ticks until dropped.
pub(crate) struct Watchdog {
    /// Dropping the sender stops the thread at once.
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Epochs between two looks at a callback. The first look comes within that time and only begins to count.
    pub(crate) const TICKS_PER_LOOK: u64 = 1;

    /// Starts the thread.
    pub(crate) fn start(engine: &Engine, period: Duration) -> io::Result<Self> {
        let tick = (period / TICKS).max(Duration::from_millis(1));
        let engine = engine.weak();
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = thread::Builder::new().name("assay-watchdog".to_owned()).spawn(move || {
            while stopped.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
                let Some(engine) = engine.upgrade() else { break };
                engine.increment_epoch();
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

/// Processor time of this thread so far: on a busy machine a guest waits for its turn, and that says nothing about the guest.
#[must_use]
pub fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Until when a guest may compute on this thread, in the thread's processor time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Duration>);

impl Deadline {
    /// None at all.
    pub(crate) const NEVER: Self = Self(None);

    /// So much from now on.
    pub(crate) fn after(left: Duration) -> Self {
        Self(thread_time().checked_add(left))
    }

    pub(crate) fn is_over(self) -> bool {
        self.0.is_some_and(|end| thread_time() > end)
    }
}

/// Calls between two looks at the clock: a look takes as long as ten short calls.
const CALLS_PER_LOOK: u32 = 256;

/// Takes the processor time of a thread out of an allowance while an episode runs on it, and the rest when dropped there.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    allowance: Allowance,
    booked_until: Duration,
    calls: u32,
}

impl Stopwatch {
    /// From now on, on this thread.
    pub(crate) fn start(allowance: &Allowance) -> Self {
        Self { allowance: allowance.clone(), booked_until: thread_time(), calls: 0 }
    }

    /// A call begins: books from time to time.
    #[inline]
    pub(crate) fn count(&mut self) {
        self.calls += 1;
        if self.calls >= CALLS_PER_LOOK {
            self.left();
        }
    }

    /// What is left, after booking.
    #[cold]
    pub(crate) fn left(&mut self) -> Duration {
        let now = thread_time();
        self.allowance.spend(now.saturating_sub(self.booked_until));
        (self.booked_until, self.calls) = (now, 0);
        self.allowance.left()
    }
}

impl Drop for Stopwatch {
    fn drop(&mut self) {
        self.left();
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread cannot panic, and there is nobody left to tell.
            let _ = thread.join();
        }
    }
}
