//! The threads that a run's episodes share: what they wait for on models, timers and disks is noticed soon, however many of them are ready.

use tokio::runtime::{Builder, Runtime};

/// Tasks that a thread polls before it looks at timers and sockets again. A task of a run computes for some tens of microseconds between two
/// waits, so that with tokio's own number (61) a thousand ready episodes would keep a timer waiting for milliseconds.
const TASKS_BETWEEN_EVENTS: u32 = 8;

/// A runtime for [`run`](super::run), with a thread a processor.
///
/// # Errors
/// The system gives no more threads.
pub fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread().enable_all().event_interval(TASKS_BETWEEN_EVENTS).build()
}
