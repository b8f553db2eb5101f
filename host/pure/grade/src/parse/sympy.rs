//! Logs of `SymPy`'s own test runner: `test_name ok|F|E`, and a ruled heading `____ file.py:test_name ____` for each failure.
//!
//! Source: SWE-bench 5.0.1, `harness/log_parsers/python.py::parse_log_sympy`. Its pattern for headings, `(_*) (.*)\.py:(.*) (_*)`, asks for
//! no underscore at all, so any line with ` x.py:y ` in it counts; the results that follow overwrite, since they have other names.

use crate::status::{Status, StatusMap};
use crate::text::{strip, words};

/// What the reference's pattern finds in a line: from the first space to the last `.py:` that a space follows, and on to the last space.
fn heading(line: &str) -> Option<String> {
    let (_, rest) = line.split_once(' ')?;
    let (body, _) = rest.rsplit_once(' ')?;
    let (file, test) = body.rsplit_once(".py:")?;
    Some(format!("{file}.py:{test}"))
}

pub(super) fn parse(log: &str) -> StatusMap {
    let mut map: StatusMap = log.split('\n').filter_map(heading).map(|name| (name, Status::Failed)).collect();
    for line in log.split('\n').map(strip).filter(|line| line.starts_with("test_")) {
        let status = match line.rsplit_once(' ') {
            Some((_, "ok")) => Status::Passed,
            Some((_, "F")) => Status::Failed,
            Some((_, "E")) => Status::Error,
            _ => continue,
        };
        if let Some(name) = words(line).next() {
            map.insert(name, status);
        }
    }
    map
}
