//! Ctrl-C, and a polite kill: the first asks, the second ends at once.

use crate::exit::Exit;
use crate::ui;
use std::sync::atomic::{AtomicBool, Ordering};

/// Has the first interruption announced with `note` and handed to `ask`; the second ends the process.
pub(super) fn on_interrupt(note: &'static str, ask: impl Fn() + Send + 'static) {
    let asked = AtomicBool::new(false);
    let handler = move || {
        if asked.swap(true, Ordering::Relaxed) {
            #[expect(clippy::exit, reason = "asked for twice: there is nothing left to wait for")]
            std::process::exit(i32::from(Exit::Interrupted as u8));
        }
        ask();
        ui::note(note);
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        ui::warn(&format!("Ctrl-C will not keep partial results: {error}"));
    }
}
