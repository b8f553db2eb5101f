//! What the work says while it goes on, and where its results go: to whoever it is done for, who installs a [`Face`] once.
//!
//! Invariants: nothing in this crate writes to a terminal by itself; text from outside is made [`visible`] before it is said, or is in JSON that hides nothing
//! ([`out_json`]). Without a face, nothing is said
//! and results are dropped, as with a log that nobody reads.

mod bar;
mod text;

pub use bar::{Bar, Drawn};
use std::io::Write;
use std::sync::OnceLock;
pub use text::{bad, dim, doubtful, good, left_table, lines, margined, table, visible};

/// Columns of a face that does not say.
const WIDTH: usize = 100;

/// Whoever commands are run for: a terminal, say.
pub trait Face: Send + Sync {
    /// Takes a result, or a part of it that ends with a line.
    fn out(&self, text: &str);
    /// Where a result goes that is written piece by piece, bytes and all.
    fn pieces(&self) -> Box<dyn Write>;
    /// A word about the work in progress.
    fn note(&self, text: &str);
    /// A finished step: a verb, and what it was done to.
    fn step(&self, verb: &str, text: &str);
    /// Something that did not stop the work.
    fn warn(&self, text: &str);
    /// What to do about the warning before it.
    fn hint(&self, text: &str);
    /// Whether somebody watches, so that progress may be drawn.
    fn is_interactive(&self) -> bool;
    /// Whether results may be coloured.
    fn wants_colour(&self) -> bool;
    /// Columns for results.
    fn width(&self) -> usize;
    /// Progress over `total` things, or over nobody knows how many, drawn by a template of indicatif's.
    fn bar(&self, template: &str, total: Option<u64>) -> Box<dyn Drawn>;
}

static FACE: OnceLock<Box<dyn Face>> = OnceLock::new();

/// Has this process's work talk to `face` from now on. The first one stays.
pub fn install(face: Box<dyn Face>) {
    let _ = FACE.set(face);
}

fn face() -> Option<&'static dyn Face> {
    FACE.get().map(AsRef::as_ref)
}

/// Hands over a result.
pub fn out(text: &str) {
    if let Some(face) = face() {
        face.out(text);
    }
}

/// Hands over a result as JSON, with an escape for each character that would hide or reorder text on a screen.
pub fn out_json(json: &str) {
    out(&assay_validator::escape_json(json));
}

/// Where results go that are written piece by piece.
pub fn pieces() -> Box<dyn Write> {
    face().map_or_else(|| Box::new(std::io::sink()) as Box<dyn Write>, Face::pieces)
}

/// Says a word about the work in progress.
pub fn note(text: &str) {
    if let Some(face) = face() {
        face.note(text);
    }
}

/// Says that a step is finished.
pub fn step(verb: &str, text: &str) {
    if let Some(face) = face() {
        face.step(verb, text);
    }
}

/// Warns.
pub fn warn(text: &str) {
    if let Some(face) = face() {
        face.warn(text);
    }
}

/// Says what to do about the warning before it.
pub fn hint(text: &str) {
    if let Some(face) = face() {
        face.hint(text);
    }
}

/// Whether somebody watches, so that progress may be drawn.
#[must_use]
pub fn is_interactive() -> bool {
    face().is_some_and(Face::is_interactive)
}

/// Whether results may be coloured.
#[must_use]
pub fn wants_colour() -> bool {
    face().is_some_and(Face::wants_colour)
}

/// Columns for results.
#[must_use]
pub fn width() -> usize {
    face().map_or(WIDTH, Face::width)
}

/// Progress over `total` things, or over nobody knows how many; nothing is drawn unless somebody watches.
#[must_use]
pub fn bar(template: &str, total: Option<u64>) -> Bar {
    Bar::new(face().map(|face| face.bar(template, total)))
}
