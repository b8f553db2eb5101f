//! pytest's summary, read with care: where it stands, what it lists, and what its last line counts.
//!
//! Source of the form: pytest's `terminal.py` (`short_test_summary`, `summary_stats`), versions 3 to 8, with and without colours; R2E-Gym's
//! `unittest_custom_runner.py` prints the same by hand. A status counts only at the start of a line, and an id ends at its first ` - ` unless
//! the test passed, since pytest appends no message then.

use std::sync::LazyLock;

use crate::status::Status;
use crate::text::{Pattern, before, python_pattern, strip, without_colour};

/// One result in a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) status: Status,
}

/// What a summary's last line counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Footer {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) errors: usize,
}

/// The last summary of a log, and what stands around it.
#[derive(Debug, Clone, Default)]
pub(super) struct Summary<'a> {
    /// How many headers the log has.
    pub(super) headers: usize,
    /// What the last summary lists.
    pub(super) entries: Vec<Entry>,
    /// The last summary's text, from its header to its last line.
    pub(super) text: &'a str,
    /// The counts behind it.
    pub(super) footer: Option<Footer>,
    /// Lines elsewhere that look like its entries.
    pub(super) printed: usize,
}

fn is_header(line: &str) -> bool {
    let bare = line.trim_matches(['=', ' ']);
    bare == "short test summary info" && line.starts_with("==") && line.ends_with("==")
}

/// `3 failed, 21 passed, 2 warnings in 0.57s`, ruled or not. `N subtests passed` counts no tests.
fn footer(line: &str) -> Option<Footer> {
    static FORM: Pattern = LazyLock::new(|| {
        python_pattern(r"^=*\s*((?:\d+ [a-z ]+, )*\d+ [a-z ]+|no tests ran) in [\d.]+ ?s(?:econds)?\b")
    });
    let found = FORM.captures(strip(line))?;
    let mut counts = Footer::default();
    for item in found[1].split(", ") {
        let Some((count, what)) = item.split_once(' ') else { continue };
        let Ok(count) = count.parse::<usize>() else { continue };
        match what {
            "passed" => counts.passed = count,
            "failed" => counts.failed = count,
            "error" | "errors" => counts.errors = count,
            _ => {}
        }
    }
    Some(counts)
}

/// Old versions print `FAIL` where new ones print `FAILED`.
fn entry(line: &str) -> Option<Entry> {
    let (word, rest) = line.split_once(' ')?;
    let status = match word {
        "PASSED" => Status::Passed,
        "FAILED" | "FAIL" => Status::Failed,
        "ERROR" => Status::Error,
        "XFAIL" => Status::Xfail,
        "XPASS" => Status::Xpass,
        "SKIPPED" if !rest.starts_with('[') => Status::Skipped,
        _ => return None,
    };
    let id = if status == Status::Passed { rest } else { before(rest, " - ") };
    let id = strip(id);
    (!id.is_empty()).then(|| Entry { id: id.to_owned(), status })
}

/// Reads the last summary of a log.
pub(super) fn read(log: &str) -> Summary<'_> {
    let mut summary = Summary::default();
    let mut start = 0;
    let mut is_inside = false;
    let mut offset = 0;
    for raw in log.split_inclusive('\n') {
        let plain = without_colour(raw);
        let line = plain.trim_end_matches(['\n', '\r']);
        if is_header(line) {
            // The results of an earlier summary are printed ones from here on.
            summary.printed += summary.entries.len();
            summary.entries.clear();
            summary.footer = None;
            summary.headers += 1;
            start = offset;
            is_inside = true;
        } else if summary.headers > 0
            && let Some(counts) = footer(line)
        {
            if is_inside {
                summary.text = &log[start..offset];
            }
            is_inside = false;
            // Only the first can be its own; a further one was printed.
            summary.printed += usize::from(summary.footer.is_some());
            summary.footer.get_or_insert(counts);
        } else if is_inside && line.starts_with("=====") {
            summary.text = &log[start..offset];
            is_inside = false;
        } else if let Some(found) = entry(line) {
            if is_inside {
                summary.entries.push(found);
            } else if found.id.contains("::") {
                summary.printed += 1;
            }
        }
        offset += raw.len();
    }
    if is_inside {
        summary.text = &log[start..];
    }
    summary
}
