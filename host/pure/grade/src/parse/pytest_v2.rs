//! Logs of `pytest -rA` with colours, with ids that hold spaces, or from versions that put the status last.
//!
//! Source: SWE-bench 5.0.1, `harness/log_parsers/python.py::parse_log_pytest_v2` (astropy, scikit-learn, sphinx), and
//! `parse_log_pytest_pydantic` of SWE-Gym's fork, which cuts a marker off failures and takes one word as the id.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::pytest::{begins_as_result, is_skip_count};
use crate::status::{Status, StatusMap};
use crate::text::{Pattern, before, python_pattern, words};

/// Removes `[32m` with or without its escape, then every control character: in this order, as the reference does.
fn plain_line(line: &str) -> Cow<'_, str> {
    static COLOUR: Pattern = LazyLock::new(|| python_pattern(r"\[\d+m"));
    let uncoloured = if line.contains('[') { COLOUR.replace_all(line, "") } else { Cow::Borrowed(line) };
    let is_control = |character: char| ('\u{1}'..='\u{1f}').contains(&character);
    if uncoloured.contains(is_control) { Cow::Owned(uncoloured.replace(is_control, "")) } else { uncoloured }
}

fn ends_as_result(line: &str) -> bool {
    Status::WORDS.iter().any(|word| line.ends_with(word))
}

/// The id is all the rest of the line, words joined by one space; of a failure only what stands before ` - `.
pub(super) fn parse(log: &str) -> StatusMap {
    let mut map = StatusMap::new();
    for line in log.split('\n') {
        let line = plain_line(line);
        if begins_as_result(&line) {
            let line = if line.starts_with("FAILED") { before(&line, " - ") } else { &line };
            let found: Vec<&str> = words(line).collect();
            if let [status, name @ ..] = found.as_slice()
                && let [first, ..] = name
                && !is_skip_count(status, first)
            {
                map.insert(name.join(" "), Status::from_word(status));
            }
        } else if ends_as_result(&line) {
            let found: Vec<&str> = words(&line).collect();
            if let [name @ .., status] = found.as_slice()
                && !name.is_empty()
            {
                map.insert(name.join(" "), Status::from_word(status));
            }
        }
    }
    map
}

/// SWE-Gym's rule for pydantic. Where the reference stops with an error, at a status that stands alone, the line is passed over.
pub(super) fn pydantic(log: &str) -> StatusMap {
    static MARKER: Pattern = LazyLock::new(|| python_pattern(r"FAILED\s*\[.*?\]"));
    let mut map = StatusMap::new();
    for line in log.split('\n') {
        let line = plain_line(line);
        let line = MARKER.replace_all(&line, "FAILED");
        let is_last = !begins_as_result(&line);
        if is_last && !ends_as_result(&line) {
            continue;
        }
        let line = if line.starts_with("FAILED") { Cow::Owned(line.replace(" - ", " ")) } else { line };
        let mut words = words(&line);
        if let (Some(first), Some(second)) = (words.next(), words.next()) {
            let (status, name) = if is_last { (second, first) } else { (first, second) };
            map.insert(name, Status::from_word(status));
        }
    }
    map
}
