//! Ctrl-C, and a polite kill: the first asks, the second ends at once. So does the end of patience: whatever a command is waiting for, it ends.

use crate::{Ending, face};
use assay_run::Stop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// For what ends between two callbacks of a strategy, and then writes what it has.
pub const SHORT: Duration = Duration::from_secs(20);
/// For what has containers to remove.
pub const LONG: Duration = Duration::from_secs(120);

/// Has the first interruption announced with `note` and handed to `ask`; the second ends the process, and so does `patience`, counted from the first.
pub fn on_interrupt(note: &'static str, patience: Duration, ask: impl Fn() + Send + 'static) {
    let asked = AtomicBool::new(false);
    let handler = move || {
        if asked.swap(true, Ordering::Relaxed) {
            end();
        }
        ask();
        std::thread::spawn(move || {
            std::thread::sleep(patience);
            face::note("it did not stop in time; the files written so far are complete");
            end();
        });
        face::note(note);
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        face::warn(&format!("Ctrl-C will not keep partial results: {error}"));
    }
}

/// The first interruption lets finished seeds be kept, the second ends at once.
pub(crate) fn cancel_on_interrupt() -> Arc<AtomicBool> {
    cancel_and_stop(&Stop::new())
}

/// The same, for a command that also does work which looks at `stop`.
pub(crate) fn cancel_and_stop(stop: &Stop) -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let (flag, stop) = (Arc::clone(&cancel), stop.clone());
    on_interrupt("\ninterrupted: keeping what has finished (press again to stop immediately)", SHORT, move || {
        flag.store(true, Ordering::Relaxed);
        stop.stop();
    });
    cancel
}

fn end() -> ! {
    #[expect(clippy::exit, reason = "asked for twice, or there is nothing left to wait for")]
    std::process::exit(i32::from(Ending::Interrupted as u8))
}
