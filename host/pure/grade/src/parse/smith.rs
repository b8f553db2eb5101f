//! SWE-smith's own parsers: its images run other commands than SWE-bench's, so the same repository needs another rule there.
//!
//! Source: SWE-smith at cf2e649, `swesmith/harness/log_parsers.py`. A row's repository reads `swesmith/<owner>__<name>.<commit>`; the parser is
//! looked up by `<owner>/<name>`, and pytest's is used for all that are not listed.

use std::sync::LazyLock;

use crate::status::{Status, StatusMap};
use crate::text::{Pattern, before, is_space, python_pattern, words};

/// SWE-smith's parsers. Go's is the same as SWE-bench's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Smith {
    /// `pytest -v`: the id, then a word that begins like a status.
    Pytest,
    /// mypy: any line with `PASSED`, else `FAILED`; the last word is the id.
    Mypy,
    /// python-slugify's unittest output.
    Slugify,
    /// tornado's unittest output.
    Tornado,
    /// paramiko: the status, one space, the id.
    Paramiko,
    /// autograd under pytest-xdist: `[gw0] PASSED id`.
    Autograd,
}

impl Smith {
    pub(super) const ALL: [Self; 6] =
        [Self::Pytest, Self::Mypy, Self::Slugify, Self::Tornado, Self::Paramiko, Self::Autograd];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pytest => "smith_pytest",
            Self::Mypy => "smith_mypy",
            Self::Slugify => "smith_slugify",
            Self::Tornado => "smith_tornado",
            Self::Paramiko => "smith_paramiko",
            Self::Autograd => "smith_autograd",
        }
    }

    pub(super) fn parse(self, log: &str) -> StatusMap {
        let read: fn(&str) -> Option<(String, Status)> = match self {
            Self::Pytest => verbose_line,
            Self::Mypy => mypy_line,
            Self::Slugify => slugify_line,
            Self::Tornado => tornado_line,
            Self::Paramiko => paramiko_line,
            Self::Autograd => autograd_line,
        };
        log.split('\n').filter_map(read).collect()
    }
}

/// The status with which a text begins; what follows its word does not matter.
fn leading_status(text: &str) -> Option<(Status, &str)> {
    Status::WORDS.into_iter().find_map(|word| Some((Status::from_word(word), text.strip_prefix(word)?)))
}

fn verbose_line(line: &str) -> Option<(String, Status)> {
    let (name, rest) = line.split_at(line.find(is_space)?);
    let (status, _) = leading_status(rest.trim_start_matches(is_space))?;
    (!name.is_empty()).then(|| (name.to_owned(), status))
}

fn mypy_line(line: &str) -> Option<(String, Status)> {
    let status = [Status::Passed, Status::Failed].into_iter().find(|status| line.contains(status.as_str()))?;
    Some((words(line).next_back()?.to_owned(), status))
}

fn slugify_line(line: &str) -> Option<(String, Status)> {
    static RESULT: Pattern = LazyLock::new(|| python_pattern(r"^([a-zA-Z0-9_\-,\.\s\(\)']+)\s\.{3}\s(ok|FAIL|ERROR)$"));
    let found = RESULT.captures(line)?;
    let status = match &found[2] {
        "ok" => Status::Passed,
        "FAIL" => Status::Failed,
        _ => Status::Error,
    };
    Some((found[1].to_owned(), status))
}

fn tornado_line(line: &str) -> Option<(String, Status)> {
    let name = before(line, " ... ").to_owned();
    if line.ends_with("... ok") {
        Some((name, Status::Passed))
    } else if line.contains(" ... skipped ") {
        Some((name, Status::Skipped))
    } else if line.starts_with("ERROR:") || line.starts_with("FAIL:") {
        let found: Vec<&str> = words(line).skip(1).take(2).collect();
        Some((found.join(" "), Status::Failed))
    } else {
        None
    }
}

fn paramiko_line(line: &str) -> Option<(String, Status)> {
    let (status, rest) = leading_status(line)?;
    let name: String = rest.strip_prefix(is_space)?.chars().take_while(|&character| !is_space(character)).collect();
    (!name.is_empty()).then_some((name, status))
}

fn autograd_line(line: &str) -> Option<(String, Status)> {
    static WORKER: Pattern = LazyLock::new(|| python_pattern(r"^\[gw\d\]\s"));
    paramiko_line(&line[WORKER.find(line)?.end()..])
}
