//! Logs of Django's test runner: `name ... ok`, where the name is the test's id or the first line of its docstring.
//!
//! Source: SWE-bench 5.0.1, `harness/log_parsers/python.py::parse_log_django`. Output of the test itself can come between ` ... ` and `ok`; three
//! forms of that are known by their text, and otherwise an `ok` at the start of a line belongs to the last name seen. Where the reference
//! stops with an error, at a `FAIL:` that names nothing, the line is passed over.

use std::sync::LazyLock;

use crate::status::{Status, StatusMap};
use crate::text::{before, python_pattern, strip, words};

/// A help text that one test prints over its own result.
const VERSION_HELP: &str = "--version is equivalent to version";

/// One migration runs into the name of the test that follows it (instance django-7188).
const RUN_IN_MIGRATION: &str = "Applying sites.0002_alter_domain_unique...test_no_migrations";

/// A text by which to see cheaply whether the pattern is worth running, and the pattern. The first group is the test's name.
static INTERRUPTED: LazyLock<[(&str, regex::Regex); 3]> = LazyLock::new(|| {
    [
        (
            "Testing against Django installed in ",
            r"(?m)^(.*?)\s\.\.\.\sTesting against Django installed in ((?s:.*?)) silenced\)\.\nok$",
        ),
        ("Internal Server Error: /", r"(?m)^(.*?)\s\.\.\.\sInternal Server Error: /(.*)/\nok$"),
        (
            "System check identified no issues (0 silenced)\nok",
            r"(?m)^(.*?)\s\.\.\.\sSystem check identified no issues \(0 silenced\)\nok$",
        ),
    ]
    .map(|(sign, pattern)| (sign, python_pattern(pattern)))
});

pub(super) fn parse(log: &str) -> StatusMap {
    let mut reader = Reader::default();
    for line in log.split('\n') {
        reader.line(strip(line));
    }
    let mut map = reader.map;
    for (sign, pattern) in INTERRUPTED.iter() {
        if log.contains(sign) {
            for found in pattern.captures_iter(log) {
                map.insert(&found[1], Status::Passed);
            }
        }
    }
    map
}

#[derive(Default)]
struct Reader<'a> {
    map: StatusMap,
    /// The last name that stood before ` ... `, to which a later `ok` belongs.
    last_name: Option<&'a str>,
    /// Whether it is known to have passed, so that a long name before a thousand `ok`s is recorded once.
    is_last_passed: bool,
}

impl<'a> Reader<'a> {
    fn record(&mut self, name: &str, status: Status) {
        if self.last_name == Some(name) {
            self.is_last_passed = status == Status::Passed;
        }
        self.map.insert(name, status);
    }

    fn line(&mut self, mut line: &'a str) {
        if line.contains(VERSION_HELP) {
            self.record(VERSION_HELP, Status::Passed);
        }
        if let Some((name, _)) = line.split_once(" ... ") {
            (self.last_name, self.is_last_passed) = (Some(name), false);
        }
        for suffix in [" ... ok", " ... OK", " ...  OK"] {
            if line.ends_with(suffix) {
                if line.starts_with(RUN_IN_MIGRATION) {
                    line = strip(line.split_once("...").map_or(line, |(_, rest)| rest));
                }
                self.record(line.strip_suffix(suffix).unwrap_or(line), Status::Passed);
                break;
            }
        }
        if let Some((name, _)) = line.split_once(" ... skipped") {
            self.record(name, Status::Skipped);
        }
        for (suffix, heading, status) in
            [(" ... FAIL", "FAIL:", Status::Failed), (" ... ERROR", "ERROR:", Status::Error)]
        {
            if line.ends_with(suffix) {
                self.record(before(line, suffix), status.clone());
            }
            if line.starts_with(heading)
                && let Some(name) = words(line).nth(1)
            {
                self.record(name, status);
            }
        }
        if line.starts_with("ok")
            && !self.is_last_passed
            && let Some(name) = self.last_name
        {
            self.record(name, Status::Passed);
        }
    }
}
