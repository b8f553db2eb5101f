//! What can be changed in a file of tests, and the test that it is changed for.

use crate::task::known::Test;
use serde::Deserialize;

/// `a.py::C::test` of a pytest id.
pub(super) fn test_of(id: &str) -> Option<Test> {
    let (stem, rest) = id.split_once(".py::")?;
    Some((format!("{stem}.py"), rest.split('[').next().unwrap_or(rest).to_owned()))
}

/// A test with the edits that the mill found for it.
#[derive(Deserialize)]
pub(super) struct FoundTest {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) edits: Vec<FoundEdit>,
}

#[derive(Clone, Deserialize)]
pub(super) struct FoundEdit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
    pub(super) rank: u8,
    /// Whether another exception is expected: the test may then end in any way.
    pub(super) raises: bool,
    /// Where its assertion or its row begins.
    pub(super) place: usize,
    /// The lines of its assertion; zeros for a row of a table.
    pub(super) lines: (usize, usize),
    /// The tests of the same file that it reaches.
    pub(super) touches: Vec<String>,
    /// Whether it is in a row that passes only with the fix.
    pub(super) bites: bool,
}
