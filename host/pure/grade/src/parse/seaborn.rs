//! Seaborn's logs: the status before the id or, in verbose mode, behind it.
//!
//! Source: SWE-bench 5.0.1, `harness/log_parsers/python.py::parse_log_seaborn`. Only passes and failures are read; errors and skips are not.

use crate::status::{Status, StatusMap};
use crate::text::words;

pub(super) fn parse(log: &str) -> StatusMap {
    let mut map = StatusMap::new();
    for line in log.split('\n') {
        let mut words = words(line);
        let (Some(first), Some(second)) = (words.next(), words.next()) else { continue };
        if line.starts_with("FAILED") {
            map.insert(second, Status::Failed);
        } else if line.contains(" PASSED ") {
            if second == "PASSED" {
                map.insert(first, Status::Passed);
            }
        } else if line.starts_with("PASSED") {
            map.insert(second, Status::Passed);
        }
    }
    map
}
