//! R2E-Gym's parser, exactly as published, weaknesses included. `rule::strict` reads the same logs with care.
//!
//! Source: R2E-Gym at 69bc953, `repo_analysis/execution_log_parser.py::parse_log_pytest`. It reads what stands between the first and the second
//! `short test summary info`; a line that *contains* `PASSED` is a pass, else `FAILED`, else `ERROR`; the key is what follows the file in
//! the test's id, joined by dots. Skips and expected failures are dropped, and a line without `::` has the empty key.

use crate::status::{Status, StatusMap};
use crate::text::{before, strip};

/// What the reference looks for; the ruled line around it does not matter.
pub(crate) const SUMMARY: &str = "short test summary info";

/// The parts of a test's id after the file, joined by dots: `a/b.py::C::test` is `C.test`.
pub(crate) fn key(id: &str) -> String {
    id.split("::").skip(1).collect::<Vec<_>>().join(".")
}

pub(crate) fn parse(log: &str) -> StatusMap {
    let Some(summary) = log.split(SUMMARY).nth(1) else { return StatusMap::new() };
    let mut map = StatusMap::new();
    for line in strip(summary).split('\n') {
        if line.contains("PASSED") {
            map.insert(key(line), Status::Passed);
        } else if line.contains("FAILED") {
            map.insert(before(&key(line), " - "), Status::Failed);
        } else if line.contains("ERROR") {
            map.insert(before(&key(line), " - "), Status::Error);
        }
    }
    map
}
