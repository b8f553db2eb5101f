//! Logs of `pytest -rA`, read by its summary lines: a status word, then the test's id.
//!
//! Source: SWE-bench 5.0.1, `harness/log_parsers/python.py`: `parse_log_pytest`, `parse_log_pytest_options`, `parse_log_matplotlib`; and
//! `parse_log_pytest_pydantic` of SWE-Gym's fork. The rules are loose on purpose, as the expected maps were made with them: a line is a
//! result as soon as it *begins* like a status, wherever it stands, and the whole first word is the status.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::status::{Status, StatusMap};
use crate::text::{Pattern, python_pattern, words};

/// Whether a line begins like a result.
pub(super) fn begins_as_result(line: &str) -> bool {
    Status::WORDS.iter().any(|word| line.starts_with(word))
}

/// `SKIPPED [3] path:line: reason` sums up skipped tests and names none. Only for skips: a wrapped `PASSED [100%]` is expected by two
/// instances of SWE-bench Verified.
pub(super) fn is_skip_count(status: &str, name: &str) -> bool {
    static COUNT: Pattern = LazyLock::new(|| python_pattern(r"^\[\d+\]$"));
    status == "SKIPPED" && COUNT.is_match(name)
}

fn as_is(line: &str) -> Cow<'_, str> {
    Cow::Borrowed(line)
}

fn summary_lines(log: &str, prepare: fn(&str) -> Cow<'_, str>, rename: impl Fn(&str) -> String) -> StatusMap {
    let mut map = StatusMap::new();
    for line in log.split('\n') {
        let mut line = prepare(line);
        if !begins_as_result(&line) {
            continue;
        }
        if line.starts_with("FAILED") {
            line = Cow::Owned(line.replace(" - ", " "));
        }
        let mut words = words(&line);
        if let (Some(status), Some(name)) = (words.next(), words.next())
            && !is_skip_count(status, name)
        {
            map.insert(rename(name), Status::from_word(status));
        }
    }
    map
}

/// The plain rule: the second word is the id.
pub(super) fn plain(log: &str) -> StatusMap {
    summary_lines(log, as_is, str::to_owned)
}

/// As [`plain`], with an absolute path in brackets cut down to its last part: it differs from machine to machine.
pub(super) fn options(log: &str) -> StatusMap {
    summary_lines(log, as_is, |name| {
        let Some((test, rest)) = name.split_once('[') else { return name.to_owned() };
        let Some((option, _)) = rest.rsplit_once(']') else { return name.to_owned() };
        let is_path = option.starts_with('/') && !option.starts_with("//") && !option.contains('*');
        match option.rsplit_once('/') {
            Some((_, last)) if is_path => format!("{test}[/{last}]"),
            _ => format!("{test}[{option}]"),
        }
    })
}

/// As [`plain`], with the names of mouse buttons back to the numbers of older versions.
pub(super) fn matplotlib(log: &str) -> StatusMap {
    summary_lines(log, numbered_buttons, str::to_owned)
}

fn numbered_buttons(line: &str) -> Cow<'_, str> {
    if !line.contains("MouseButton.") {
        return Cow::Borrowed(line);
    }
    Cow::Owned(line.replace("MouseButton.LEFT", "1").replace("MouseButton.RIGHT", "3"))
}
