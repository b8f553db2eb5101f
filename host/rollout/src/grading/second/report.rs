//! What the judge says of its run: one line of the log that begins with a token which only it knows.
//!
//! Invariant: what the submission made a test print is not taken for a report, and two lines that could be one are none.

use std::collections::{BTreeMap, BTreeSet};

use assay_grade::Parser;
use serde::Deserialize;

/// How the line begins.
const LINE: &str = "assay-second ";
/// Bytes of what a test printed that are told of it.
const SHOWN_BYTES_MAX: usize = 300;

/// The line as the judge writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    passed: BTreeSet<String>,
    others: BTreeSet<String>,
    said: BTreeMap<String, String>,
    uncollected: BTreeMap<String, String>,
    modules: Vec<String>,
    calls: u64,
    failed: Option<String>,
    broken: Option<String>,
}

/// What each test did, and whether the two processes understood each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Report {
    /// The ids that passed, setting up and tearing down included. Of several tests that a parser calls by one id each must.
    passed: BTreeSet<String>,
    /// The end of what pytest says about the first of the others.
    said: BTreeMap<String, String>,
    /// The same about what could not be collected.
    uncollected: BTreeMap<String, String>,
    /// Whether the holder had a module and was asked for something.
    is_asked: bool,
    /// The first module that the holder could not import, with its exception.
    failed: Option<String>,
    /// What the holder said that has no form.
    broken: Option<String>,
}

impl Report {
    /// The report in a log, if there is exactly one.
    pub(super) fn take(log: &[u8], token: &str, parser: Parser) -> Option<Self> {
        let start = format!("{LINE}{token} ");
        let mut lines = log.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(start.as_bytes()));
        let line = lines.next()?;
        if lines.next().is_some() {
            return None;
        }
        let line: Line = serde_json::from_slice(line).ok()?;
        let mut passed = ids(line.passed.iter(), parser);
        for id in ids(line.others.iter(), parser) {
            passed.remove(&id);
        }
        let said = line
            .said
            .into_iter()
            .flat_map(|(name, said)| ids(std::iter::once(&name), parser).into_iter().map(move |id| (id, said.clone())));
        let is_asked = !line.modules.is_empty() && line.calls > 0;
        let said = said.collect();
        let Line { uncollected, failed, broken, .. } = line;
        Some(Self { passed, said, uncollected, is_asked, failed, broken })
    }

    pub(super) fn has_passed(&self, id: &str) -> bool {
        self.passed.contains(id)
    }

    /// Why nothing that it says counts.
    pub(super) fn trouble(&self) -> Option<String> {
        let unasked =
            || self.import_failure().unwrap_or_else(|| "its tests import nothing from the repository".to_owned());
        self.broken.clone().or_else(|| (!self.is_asked).then(unasked))
    }

    /// What the holder could not import, in its own words.
    fn import_failure(&self) -> Option<String> {
        let failed = self.failed.as_ref()?;
        let end = (0..=SHOWN_BYTES_MAX.min(failed.len())).rev().find(|at| failed.is_char_boundary(*at)).unwrap_or(0);
        Some(format!("the import of {} failed", failed[..end].replace(char::is_control, " ")))
    }

    /// Why a test did not run of which pytest says nothing.
    fn why_not_run(&self, id: &str) -> String {
        let file = id.split("::").next().unwrap_or(id);
        let failure = self.uncollected.get_key_value(file).or_else(|| self.uncollected.first_key_value());
        let uncollected = |(file, said): (&String, &String)| format!("{file} could not be collected: {}", end_of(said));
        let import = self.import_failure();
        import.or_else(|| failure.map(uncollected)).unwrap_or_else(|| "it did not run".to_owned())
    }

    /// The first of these tests that did not pass, with what pytest says about it.
    pub(super) fn objection<'i>(&self, mut ids: impl Iterator<Item = &'i str>) -> Option<String> {
        let id = ids.find(|id| !self.has_passed(id))?;
        let said = self.said.get(id).map(|said| end_of(said)).filter(|said| !said.is_empty());
        // A file of tests that cannot import what it tests has none.
        Some(format!("{id}: {}", said.unwrap_or_else(|| self.why_not_run(id))))
    }
}

/// The end of what pytest says, in one line.
fn end_of(said: &str) -> String {
    let from = (said.len().saturating_sub(SHOWN_BYTES_MAX)..said.len()).find(|at| said.is_char_boundary(*at));
    from.map_or("", |from| &said[from..]).replace('\n', " ").trim().to_owned()
}

/// What a parser calls tests that pytest calls so: some cut a name at its first space.
fn ids<'n>(names: impl Iterator<Item = &'n String>, parser: Parser) -> BTreeSet<String> {
    let told = |name: &String| {
        let lines = [format!("PASSED {name}\n"), format!("{name} PASSED\n")];
        let read = lines.iter().map(|line| parser.parse(line)).find(|read| read.iter().next().is_some());
        read.map_or_else(|| vec![name.clone()], |read| read.iter().map(|(id, _)| id.to_owned()).collect())
    };
    names.flat_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(token: &str, broken: &str) -> String {
        format!(
            "assay-second {token} {{\"passed\":[\"a.py::b\",\"a.py::s[x y]\",\"a.py::t[x y]\"],\"others\":[\"a.py::c\",\"a.py::t[x z]\"],\"said\":{{\"a.py::c\":\"E\\n  assert 1 == 2\"}},\"uncollected\":{{}},\"modules\":[\"m\"],\"calls\":3,\"failed\":null,\"broken\":{broken}}}\n"
        )
    }

    #[test]
    fn one_report_with_the_right_token_counts() {
        let log = format!("PASSED a.py::c\n{}{}", line("forged", "null"), line("real", "null"));
        let report = Report::take(log.as_bytes(), "real", Parser::Pytest).expect("it is there");
        assert_eq!(report.trouble(), None);
        assert_eq!(report.objection(["a.py::b"].into_iter()), None);
        assert!(report.has_passed("a.py::s[x") && !report.has_passed("a.py::t[x"), "both tests of one id must pass");
        let why = report.objection(["a.py::b", "a.py::c", "a.py::d"].into_iter()).expect("c did not pass");
        assert_eq!(why, "a.py::c: E   assert 1 == 2");
        assert!(Report::take(log.repeat(2).as_bytes(), "real", Parser::Pytest).is_none());
        assert!(Report::take(b"assay-second real {}\n", "real", Parser::Pytest).is_none());
    }

    #[test]
    fn processes_that_did_not_understand_each_other() {
        let log = line("real", "\"no answer in time\"");
        let report = Report::take(log.as_bytes(), "real", Parser::Pytest).expect("it is there");
        assert_eq!(report.trouble().as_deref(), Some("no answer in time"));
    }

    #[test]
    fn a_test_that_did_not_run_has_a_reason() {
        let why = |log: String| {
            let report = Report::take(log.as_bytes(), "real", Parser::Pytest).expect("it is there");
            report.objection(["d.py::d"].into_iter()).expect("it did not pass")
        };
        let log = line("real", "null");
        assert_eq!(why(log.clone()), "d.py::d: it did not run");
        for (said, expected) in [
            (r#""a.py":"no","d.py":"E\nOSError""#, "d.py could not be collected: E OSError"),
            (r#""a.py":"no""#, "a.py could not be collected: no"),
        ] {
            let log = log.replace("\"uncollected\":{}", &format!("\"uncollected\":{{{said}}}"));
            assert_eq!(why(log), format!("d.py::d: {expected}"));
        }
    }

    #[test]
    fn an_import_that_failed_is_named() {
        let failed = "m: PermissionError: [Errno 13]\\n/tmp";
        let log = line("real", "null").replace("\"failed\":null", &format!("\"failed\":\"{failed}\""));
        let report = |log: &str| Report::take(log.as_bytes(), "real", Parser::Pytest).expect("it is there");
        let named = "the import of m: PermissionError: [Errno 13] /tmp failed";
        assert_eq!(report(&log).trouble(), None, "other modules were imported");
        assert_eq!(report(&log).objection(["a.py::d"].into_iter()), Some(format!("a.py::d: {named}")));
        let log = log.replace("[\"m\"]", "[]");
        assert_eq!(report(&log).trouble().as_deref(), Some(named));
        let log = log.replace(&format!("\"{failed}\""), "null");
        assert_eq!(report(&log).trouble().as_deref(), Some("its tests import nothing from the repository"));
    }
}
