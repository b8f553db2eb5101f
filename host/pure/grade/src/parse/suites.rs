//! Runners whose results depend on lines before: Maven, Gradle and `PHPUnit`.
//!
//! Source: SWE-bench 5.0.1, `harness/log_parsers/java.py` (`parse_log_maven`, `parse_log_gradle_custom`) and `php.py` (`parse_log_phpunit`).

use std::collections::VecDeque;
use std::sync::LazyLock;

use crate::status::{Status, StatusMap};
use crate::text::{Pattern, python_pattern, strip};

/// Maven names no test that passed, so each is run by a command of its own: `-Dtest=name` and `BUILD SUCCESS` are paired in order, a result
/// that comes too early with the first name left over.
pub(super) fn maven(log: &str) -> StatusMap {
    static NAME: Pattern = LazyLock::new(|| python_pattern(r"^.*-Dtest=(\S+)"));
    let mut map = StatusMap::new();
    let mut names: VecDeque<String> = VecDeque::new();
    let mut early: VecDeque<Status> = VecDeque::new();
    for line in log.split('\n').map(strip) {
        if let Some(found) = NAME.captures(line) {
            names.push_back(found[1].to_owned());
        }
        let status = if line.ends_with("BUILD SUCCESS") {
            Status::Passed
        } else if line.ends_with("BUILD FAILURE") {
            Status::Failed
        } else {
            continue;
        };
        match names.pop_front() {
            Some(name) => map.insert(name, status),
            None => early.push_back(status),
        }
    }
    for (name, status) in names.into_iter().zip(early) {
        map.insert(name, status);
    }
    map
}

/// `Class > method PASSED`, where other output may push the status onto a later line of its own.
pub(super) fn gradle(log: &str) -> StatusMap {
    static RESULT: Pattern = LazyLock::new(|| python_pattern(r"^([^>].+)\s+(PASSED|FAILED)$"));
    static NAME: Pattern = LazyLock::new(|| python_pattern(r"^[^>]\S*\s+>\s+\S+$"));
    let mut map = StatusMap::new();
    let mut open: Option<&str> = None;
    for line in log.split('\n').map(strip) {
        if let Some(found) = RESULT.captures(line) {
            map.insert(&found[1], Status::from_word(&found[2]));
            open = None;
        } else if NAME.is_match(line) {
            open = Some(line);
        } else if matches!(line, "PASSED" | "FAILED")
            && let Some(name) = open.take()
        {
            map.insert(name, Status::from_word(line));
        }
    }
    map
}

/// `--testdox`: a suite's line, then its tests, each with a mark. A test before any suite belongs to `None`, as the reference prints it.
pub(super) fn phpunit(log: &str) -> StatusMap {
    static SUITE: Pattern = LazyLock::new(|| python_pattern(r"^(\w.+) \(.+\)$"));
    static TEST: Pattern = LazyLock::new(|| python_pattern(r"^\s*([✔✘↩])\s*(.*)$"));
    let mut map = StatusMap::new();
    let mut suite = "None".to_owned();
    for line in log.split('\n') {
        if let Some(found) = SUITE.captures(line) {
            found[1].clone_into(&mut suite);
        } else if let Some(found) = TEST.captures(line) {
            let status = match &found[1] {
                "✔" => Status::Passed,
                "✘" => Status::Failed,
                _ => Status::Skipped,
            };
            map.insert(format!("{suite} > {}", &found[2]), status);
        }
    }
    map
}
