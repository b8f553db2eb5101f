//! The watchdog: a thread that advances the engine's epoch, so that a callback which the fuel somehow does not stop ends anyway.
//!
//! Invariant: a watchdog kill is [`crate::Outcome::Infrastructure`], never a score; it depends on wall time.

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
    /// Epochs a callback may see pass: one more than a period has, because the first may end right away.
    pub(crate) const DEADLINE_TICKS: u64 = TICKS as u64 + 1;

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

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread cannot panic, and there is nobody left to tell.
            let _ = thread.join();
        }
    }
}
