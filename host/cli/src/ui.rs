//! The only place that prints: the terminal, as commands talk to it.
//!
//! Results go to standard output, everything about the work to standard error, so that output can be piped. Colours are dropped
//! where they are not wanted. A reader that goes away early (`| head`) is not an error.

use assay_commands::Failure;
use assay_commands::face::{self, Drawn, Face};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const RED: &str = "\x1b[1;31m";
const CYAN: &str = "\x1b[1;36m";
const BOLD_YELLOW: &str = "\x1b[1;33m";
const GREEN: &str = "\x1b[32m";
const RESET: &str = "\x1b[0m";

/// Set once a result could not be written although somebody is reading: a full disk, say.
static LOST: AtomicBool = AtomicBool::new(false);

/// Standard output and standard error.
pub(crate) struct Terminal;

impl Face for Terminal {
    fn out(&self, text: &str) {
        let mut stdout = anstream::stdout();
        if let Err(error) = writeln!(stdout, "{text}").and_then(|()| stdout.flush())
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            LOST.store(true, Ordering::Relaxed);
        }
    }

    fn pieces(&self) -> Box<dyn Write> {
        Box::new(std::io::BufWriter::new(std::io::stdout().lock()))
    }

    fn note(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{text}");
    }

    fn step(&self, verb: &str, text: &str) {
        self.note(&format!("{GREEN}{verb:>10}{RESET} {}", face::margined(text)));
    }

    fn warn(&self, text: &str) {
        self.note(&format!("{BOLD_YELLOW}warning{RESET}: {}", face::margined(text)));
    }

    fn hint(&self, text: &str) {
        self.note(&format!(" {CYAN}hint{RESET}: {}", face::margined(text)));
    }

    fn is_interactive(&self) -> bool {
        use std::io::IsTerminal as _;
        std::io::stderr().is_terminal()
    }

    fn wants_colour(&self) -> bool {
        anstream::stdout().current_choice() != anstream::ColorChoice::Never
    }

    fn width(&self) -> usize {
        let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse::<usize>().ok());
        columns.unwrap_or(100).clamp(60, 160)
    }

    fn bar(&self, template: &str, total: Option<u64>) -> Box<dyn Drawn> {
        let target = if self.is_interactive() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(total, target);
        // Templates are constants; should one not parse, the plain default serves.
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| match total {
            Some(_) => ProgressStyle::default_bar(),
            None => ProgressStyle::default_spinner(),
        }));
        Box::new(Bar(bar))
    }
}

/// A bar of indicatif.
struct Bar(ProgressBar);

impl Drawn for Bar {
    fn inc(&self, count: u64) {
        self.0.inc(count);
    }

    fn set_position(&self, done: u64) {
        self.0.set_position(done);
    }

    fn set_message(&self, text: String) {
        self.0.set_message(text);
    }

    fn set_prefix(&self, text: String) {
        self.0.set_prefix(text);
    }

    fn enable_steady_tick(&self, every: Duration) {
        self.0.enable_steady_tick(every);
    }

    fn reset_elapsed(&self) {
        self.0.reset_elapsed();
    }

    fn suspend(&self, say: &mut dyn FnMut()) {
        self.0.suspend(say);
    }

    fn finish_and_clear(&self) {
        self.0.finish_and_clear();
    }
}

/// Whether part of the results was lost on the way out.
pub(crate) fn lost_output() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Prints why a command ended early.
pub(crate) fn fail(failure: &Failure) {
    Terminal.note(&format!("{RED}error{RESET}: {}", face::margined(&failure.message)));
    if let Some(text) = &failure.hint {
        Terminal.hint(text);
    }
}
