//! Verbose logs of Python's `unittest`: `test_name (module.Class) ... ok`.
//!
//! No reference parser exists for it in general; the rule is ours. A test is named by its id, never by the docstring that unittest prints below
//! it, so that two tests with one docstring stay apart. Source for the words: `unittest/runner.py` of `CPython` 3.12 (`TextTestResult`).
//! Output of the test between ` ... ` and the word is allowed: the word is then looked for at the line's end or alone on a later line. The
//! headings `FAIL: id` and `ERROR: id` are facts too and overrule a word printed before them.

use std::sync::LazyLock;

use crate::status::{Status, StatusMap};
use crate::text::{Pattern, python_pattern, strip};

/// `test_name (module.Class)`, or `setUpClass (module.Class)`, at the line's start.
static ID: Pattern = LazyLock::new(|| python_pattern(r"^(\w+ \([\w.<>]+\))(?: \[.*\]| \(.*\))?"));

fn outcome(text: &str) -> Option<Status> {
    const ENDS: [(&str, Status); 5] = [
        ("ok", Status::Passed),
        ("FAIL", Status::Failed),
        ("ERROR", Status::Error),
        ("expected failure", Status::Xfail),
        ("unexpected success", Status::Xpass),
    ];
    if text.starts_with("skipped '") || text.starts_with("skipped \"") || text == "skipped" {
        return Some(Status::Skipped);
    }
    ENDS.into_iter().find_map(|(word, status)| {
        let rest = text.strip_suffix(word)?;
        rest.chars().next_back().is_none_or(|last| !last.is_alphanumeric()).then_some(status)
    })
}

pub(super) fn parse(log: &str) -> StatusMap {
    let mut map = StatusMap::new();
    let mut open: Option<&str> = None;
    for line in log.split('\n').map(strip) {
        if let Some((heading, status)) = heading(line) {
            if let Some(id) = id(heading) {
                map.insert(id, status);
            }
            continue;
        }
        if let Some(found) = id(line) {
            open = Some(found);
        }
        let Some(name) = open else { continue };
        let said = match line.split_once(" ... ") {
            Some((_, rest)) => outcome(rest),
            None => outcome(line).filter(|_| matches!(line, "ok" | "FAIL" | "ERROR")),
        };
        if let Some(status) = said {
            map.insert(name, status);
            open = None;
        }
    }
    map
}

fn heading(line: &str) -> Option<(&str, Status)> {
    let (word, rest) = line.split_once(": ")?;
    match word {
        "FAIL" => Some((rest, Status::Failed)),
        "ERROR" => Some((rest, Status::Error)),
        _ => None,
    }
}

fn id(text: &str) -> Option<&str> {
    ID.captures(text)?.get(1).map(|found| found.as_str())
}
