//! Searching a tree: lines by a regular expression, entries by a pattern of names.
//!
//! Pattern, names and contents may be anybody's. So both follow no symlinks, stop at named limits, which the answer tells, and ask a
//! [`Meter`] before each piece of work, be it a pattern to compile, an entry to look at or a stretch of a file to search. No piece takes
//! long, and its price is in proportion: a pattern that the fast engine cannot keep up with costs what the slow one takes.

mod find;
mod glob;
mod grep;
mod line_pattern;

pub use find::{FindQuery, Found, find};
pub use glob::Glob;
pub use grep::{GrepLimits, GrepMatch, GrepQuery, Grepped, grep};

/// Bytes of a pattern; the compiled one is limited as well.
pub const PATTERN_BYTES_MAX: usize = 4096;
/// Classes in a pattern: in brackets or by name. One can stand for all of Unicode, and a few bytes make one.
pub const CLASSES_MAX: usize = 64;
/// Bytes of a pattern of names, and how many `*` it may have.
pub const GLOB_BYTES_MAX: usize = 1024;
/// See [`GLOB_BYTES_MAX`].
pub const GLOB_STARS_MAX: usize = 32;
/// Larger files are not searched: one that is in pieces is put together for it. The answer says how many there were.
pub const SEARCHED_BYTES_MAX: u64 = 32 << 20;

/// Who pays for a search. It is asked before each piece of work.
pub trait Meter {
    /// Takes the price, about a nanosecond of work for each unit; `false` ends the search.
    fn spend(&mut self, work: u64) -> bool;
}

/// Pays for anything: for whoever searches for himself.
#[derive(Clone, Copy, Debug)]
pub struct Unmetered;

impl Meter for Unmetered {
    fn spend(&mut self, _: u64) -> bool {
        true
    }
}

/// Why a search cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SearchError {
    /// The pattern cannot be understood or is too large; the text says where and why.
    #[error("invalid pattern: {0}")]
    Pattern(String),
    /// The place to search cannot be reached, or a content not loaded.
    #[error(transparent)]
    Tree(#[from] crate::TreeError),
    /// The meter has ended it.
    #[error("the search was ended")]
    Ended,
}

/// Price of looking at an entry.
const ENTRY_PRICE: u64 = 500;
/// Prices of compiling a pattern.
const PATTERN_BYTE_PRICE: u64 = 10_000;
const CLASS_PRICE: u64 = 2_000_000;

/// Pays, or ends the search.
fn pay(meter: &mut dyn Meter, work: u64) -> Result<(), SearchError> {
    if meter.spend(work) { Ok(()) } else { Err(SearchError::Ended) }
}

fn check_length(pattern: &str, max: usize) -> Result<(), SearchError> {
    if pattern.len() <= max {
        return Ok(());
    }
    Err(SearchError::Pattern(format!("it has {} bytes, at most {max}", pattern.len())))
}
