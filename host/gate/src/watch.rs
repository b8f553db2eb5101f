//! One piece of work on a thread of its own, so that its fall or its hanging takes nothing else with it.
//!
//! ```text
//! running ──► done
//!    │ time is up, or stopped: asked to end
//!    ├──► done within the grace
//!    ├──► left behind: the thread stays, nobody waits for it
//!    └──► panicked
//! ```

use assay_run::{Stop, panic_words};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a stop is looked for; whatever the work answers is heard at once.
const POLL: Duration = Duration::from_millis(20);

/// What is left to work that is stopped: whoever stops it wants to go.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// How long a piece of work may take.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// After this it is asked to end.
    pub wall: Duration,
    /// After this more, nobody waits for it.
    pub grace: Duration,
}

/// How it ended.
#[derive(PartialEq, Eq, Debug)]
pub enum Ended<T> {
    /// With an answer, before or after it was asked to end.
    Done(T),
    /// With a panic; in its words.
    Panicked(String),
    /// Not at all.
    Hung,
}

/// Does `work` within `watch`; `stop` asks it to end before its time. The work looks at the flag that it is given.
pub fn watched<T: Send + 'static>(
    watch: Watch,
    stop: &Stop,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> Ended<T> {
    let (sender, answers) = mpsc::channel();
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cancel);
    let thread = thread::spawn(move || {
        // Nobody listens any more to work that was left behind.
        let _ = sender.send(work(&flag));
    });
    let mut deadline = Instant::now() + watch.wall;
    let (mut is_asked, mut is_stopped) = (false, false);
    loop {
        match answers.recv_timeout(POLL) {
            Ok(answer) => return Ended::Done(answer),
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => return Ended::Panicked(panic_words(panic.as_ref())),
                // The answer is sent before the thread ends.
                Ok(()) => resume_unwind(Box::new("the worker ended without a result")),
            },
            Err(RecvTimeoutError::Timeout) => {}
        }
        let is_late = Instant::now() >= deadline;
        if is_asked && is_late {
            return Ended::Hung;
        }
        if !is_stopped && stop.is_asked() {
            let left = if is_asked { deadline.saturating_duration_since(Instant::now()) } else { watch.grace };
            (is_asked, is_stopped) = (true, true);
            cancel.store(true, Ordering::Relaxed);
            deadline = Instant::now() + left.min(STOP_GRACE);
        } else if !is_asked && is_late {
            is_asked = true;
            cancel.store(true, Ordering::Relaxed);
            deadline = Instant::now() + watch.grace;
        }
    }
}
