//! One finding, its place, and the collection that a check returns.
//!
//! Text that came from the guest (names, excerpts) is escaped when a finding is made, so every rendering is safe to show in a
//! terminal. Findings are sorted by place and capped: `Findings::omitted` says how many were counted but not kept.

use crate::code::Code;
use crate::escape::escape;
use crate::limits::{FINDING_TEXT_BYTES_MAX, FINDINGS_MAX, FINDINGS_OF_A_CODE_MAX};
use crate::severity::Severity;
use serde::Serialize;
use std::fmt;

/// A position in a text, both parts from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// Line from 1.
    pub line: u32,
    /// Column from 1, in characters.
    pub column: u32,
}

/// The lines around a place, escaped and clipped for display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// Number of the first line shown, from 1.
    pub first_line: u32,
    /// The lines.
    pub text: String,
    /// Where in `text` the offending part starts, in bytes.
    pub start: usize,
    /// Length of the offending part in bytes.
    pub length: usize,
}

/// A function of a core module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FunctionPlace {
    /// Index in the function space of its module, imports first.
    pub index: u32,
    /// Name, if the component carries names.
    pub name: Option<String>,
}

/// Where something was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Place {
    /// A whole source file.
    File {
        /// Name as given by the caller.
        file: String,
    },
    /// A span of a source file.
    Source {
        /// Name as given by the caller.
        file: String,
        /// First character.
        start: Position,
        /// One past the last character.
        end: Position,
        /// The lines around it.
        excerpt: Excerpt,
    },
    /// A place in a manifest or in the crate's folder.
    Manifest {
        /// The manifest or the offending file.
        file: String,
        /// Dotted key, empty for the whole file.
        key: String,
    },
    /// A place in a component.
    Component {
        /// Section or kind of item.
        section: &'static str,
        /// The function, if it is in one.
        function: Option<FunctionPlace>,
        /// Offset in bytes from the start of the component.
        offset: u64,
    },
}

impl Place {
    /// Sort key: files before their lines, then offsets.
    fn key(&self) -> (&str, u64, u64, &str) {
        match self {
            Self::File { file } => (file, 0, 0, ""),
            Self::Source { file, start, .. } => (file, u64::from(start.line), u64::from(start.column), ""),
            Self::Manifest { file, key } => (file, 0, 0, key),
            Self::Component { section, offset, .. } => ("", *offset, 0, section),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file } => formatter.write_str(file),
            Self::Source { file, start, .. } => write!(formatter, "{file}:{}:{}", start.line, start.column),
            Self::Manifest { file, key } if key.is_empty() => formatter.write_str(file),
            Self::Manifest { file, key } => write!(formatter, "{file}: {key}"),
            Self::Component { section, function: None, offset } => write!(formatter, "{section} at {offset:#x}"),
            Self::Component { section, function: Some(function), offset } => match &function.name {
                Some(name) => write!(formatter, "{section} at {offset:#x}, function {} `{name}`", function.index),
                None => write!(formatter, "{section} at {offset:#x}, function {}", function.index),
            },
        }
    }
}

/// One complaint: what, where, how much, how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub code: Code,
    /// Whether it refuses the strategy.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// What was seen.
    pub observed: Option<String>,
    /// What is allowed.
    pub limit: Option<String>,
    /// One sentence.
    pub message: String,
    /// How to mend it.
    pub hint: String,
}

impl Finding {
    /// A finding with the code's own severity, limit and hint. `message` may contain text of the guest: it is escaped.
    #[must_use]
    pub fn new(code: Code, place: Place, message: impl AsRef<str>) -> Self {
        let meaning = code.meaning();
        Self {
            code,
            severity: code.severity(),
            place,
            observed: None,
            limit: meaning.limit.map(|(bound, unit)| format!("{bound} {unit}")),
            message: told(message.as_ref()),
            hint: meaning.mend.to_owned(),
        }
    }

    /// With what was seen, escaped.
    #[must_use]
    pub fn observed(mut self, observed: impl fmt::Display) -> Self {
        self.observed = Some(told(&observed.to_string()));
        self
    }

    /// With another limit than the code's own.
    #[must_use]
    pub fn limit(mut self, limit: impl fmt::Display) -> Self {
        self.limit = Some(told(&limit.to_string()));
        self
    }

    /// With a more exact hint, escaped.
    #[must_use]
    pub fn hint(mut self, hint: impl AsRef<str>) -> Self {
        self.hint = told(hint.as_ref());
        self
    }
}

/// A text as it is told: cut, then escaped, which makes it a few times longer at most.
fn told(text: &str) -> String {
    match text.get(..text.floor_char_boundary(FINDING_TEXT_BYTES_MAX)) {
        Some(head) if head.len() < text.len() => escape(head) + "…",
        _ => escape(text),
    }
}

/// All findings of a check, sorted by place, at most [`FINDINGS_MAX`] of them and [`FINDINGS_OF_A_CODE_MAX`] of a code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
    omitted_errors: usize,
    omitted_warnings: usize,
}

impl Findings {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding, or only counts it when there are enough; an identical one is dropped.
    pub fn push(&mut self, finding: Finding) {
        if !self.wants(finding.code) {
            self.omit(finding.severity);
            return;
        }
        let order = |known: &Finding| (known.place.key(), known.code).cmp(&(finding.place.key(), finding.code));
        let at = self.list.partition_point(|known| order(known).is_le());
        if !self.list[..at].iter().rev().take_while(|known| order(known).is_eq()).any(|known| *known == finding) {
            self.list.insert(at, finding);
        }
    }

    /// Whether one more of this code would be kept. Asked before a costly place is worked out.
    pub(crate) fn wants(&self, code: Code) -> bool {
        let same = || self.list.iter().filter(|finding| finding.code == code).count();
        self.list.len() < FINDINGS_MAX && same() < FINDINGS_OF_A_CODE_MAX
    }

    /// Counts a finding that is not kept.
    pub(crate) fn omit(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.omitted_errors += 1,
            Severity::Warning => self.omitted_warnings += 1,
        }
    }

    /// Adds all of another check.
    pub fn extend(&mut self, other: Self) {
        self.omitted_errors += other.omitted_errors;
        self.omitted_warnings += other.omitted_warnings;
        for finding in other.list {
            self.push(finding);
        }
    }

    /// The kept findings in order of place.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.list.iter()
    }

    /// The same without this folder before the names of files: for whoever checks a copy, in a folder that nobody else knows.
    #[must_use]
    pub fn without_folder(mut self, folder: &str) -> Self {
        let start = format!("{}/", folder.trim_end_matches('/'));
        for finding in &mut self.list {
            if let Place::File { file } | Place::Source { file, .. } | Place::Manifest { file, .. } = &mut finding.place
            {
                *file = file.replace(&start, "");
            }
            finding.message = finding.message.replace(&start, "");
            finding.hint = finding.hint.replace(&start, "");
            finding.observed = finding.observed.take().map(|text| text.replace(&start, ""));
        }
        self
    }

    /// Nothing found at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Number of findings, those not kept included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len() + self.omitted()
    }

    /// Findings that were counted but not kept.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.omitted_errors + self.omitted_warnings
    }

    /// Number of errors, those not kept included.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.list.iter().filter(|finding| finding.severity == Severity::Error).count() + self.omitted_errors
    }

    /// Number of warnings, those not kept included.
    #[must_use]
    pub fn warnings(&self) -> usize {
        self.count() - self.errors()
    }

    /// Whether the strategy is refused.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors() > 0
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FromIterator<Finding> for Findings {
    fn from_iter<I: IntoIterator<Item = Finding>>(findings: I) -> Self {
        let mut all = Self::new();
        for finding in findings {
            all.push(finding);
        }
        all
    }
}

impl fmt::Display for Findings {
    /// One line a finding, for logs and error chains.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.list {
            writeln!(formatter, "{} {}: {}", finding.code.id(), finding.place, finding.message)?;
        }
        match self.omitted() {
            0 => Ok(()),
            omitted => writeln!(formatter, "and {omitted} more"),
        }
    }
}

impl std::error::Error for Findings {}
