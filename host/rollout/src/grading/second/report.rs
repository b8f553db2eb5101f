//! What the judge says of its run: one line of the log that begins with a token which only it knows.
//!
//! Invariant: what the submission made a test print is not taken for a report, and two lines that could be one are none.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// How the line begins.
const LINE: &str = "assay-second ";
/// Bytes of what a test printed that are told of it.
const SHOWN_BYTES_MAX: usize = 300;

/// What each test did, and whether the two processes understood each other.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    /// The tests that passed, setting up and tearing down included.
    passed: BTreeSet<String>,
    /// The first of the others, with the end of what pytest says about each.
    others: BTreeMap<String, String>,
    /// Modules that the holder had.
    modules: Vec<String>,
    /// How often it was asked.
    calls: u64,
    /// What it said that has no form.
    broken: Option<String>,
}

impl Report {
    /// The report in a log, if there is exactly one.
    pub(super) fn take(log: &[u8], token: &str) -> Option<Self> {
        let start = format!("{LINE}{token} ");
        let mut lines = log.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(start.as_bytes()));
        let line = lines.next()?;
        if lines.next().is_some() {
            return None;
        }
        serde_json::from_slice(line).ok()
    }

    pub(super) fn has_passed(&self, id: &str) -> bool {
        self.passed.contains(id)
    }

    /// Why it does not say that these tests pass with what the holder has.
    pub(super) fn objection<'i>(&self, mut ids: impl Iterator<Item = &'i str>) -> Option<String> {
        if let Some(why) = &self.broken {
            return Some(why.clone());
        }
        if self.modules.is_empty() || self.calls == 0 {
            return Some("its tests import nothing of the repository".to_owned());
        }
        let id = ids.find(|id| !self.has_passed(id))?;
        let said = self.others.get(id).map(|said| said.replace('\n', " ")).unwrap_or_default();
        let from = (said.len().saturating_sub(SHOWN_BYTES_MAX)..said.len()).find(|at| said.is_char_boundary(*at));
        Some(format!("{id}: {}", from.map_or("", |from| &said[from..]).trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(token: &str, broken: &str) -> String {
        format!(
            "assay-second {token} {{\"passed\":[\"a.py::b\"],\"others\":{{\"a.py::c\":\"E\\n  assert 1 == 2\"}},\"modules\":[\"m\"],\"calls\":3,\"broken\":{broken}}}\n"
        )
    }

    #[test]
    fn one_report_with_the_right_token_counts() {
        let log = format!("PASSED a.py::c\n{}{}", line("forged", "null"), line("real", "null"));
        let report = Report::take(log.as_bytes(), "real").expect("it is there");
        assert_eq!(report.objection(["a.py::b"].into_iter()), None);
        let why = report.objection(["a.py::b", "a.py::c", "a.py::d"].into_iter()).expect("c did not pass");
        assert_eq!(why, "a.py::c: E   assert 1 == 2");
        assert!(Report::take(log.repeat(2).as_bytes(), "real").is_none());
        assert!(Report::take(b"assay-second real {}\n", "real").is_none());
    }

    #[test]
    fn processes_that_did_not_understand_each_other() {
        let log = line("real", "\"no answer in time\"");
        let report = Report::take(log.as_bytes(), "real").expect("it is there");
        assert_eq!(report.objection(["a.py::b"].into_iter()).as_deref(), Some("no answer in time"));
    }
}
