//! What is wrong with a policy, told so that its writer can mend it: where, with the line itself, what, and how.

use std::fmt::{self, Display};
use std::ops::Range;

/// The first thing that is wrong. Its text completes "failed to read the policy FILE:" and spans several lines.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct PolicyError {
    /// The key with its path, for example `rules[2].measure`; empty for the file as a whole.
    pub key: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// What is wrong, in words.
    pub what: String,
    /// How to mend it.
    pub hint: Option<String>,
    /// The line itself, and how many of its characters from `column` on are meant.
    pub excerpt: (String, usize),
}

impl Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, ", `{}`", self.key)?;
        }
        let (line, length) = &self.excerpt;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // A tab before the place stays one below it, so that the marks stand under what they mean.
        let before: String =
            line.chars().take(self.column as usize - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        write!(f, ": {}\n {number} │ {line}\n {margin} │ {before}{}", self.what, "^".repeat((*length).max(1)))
    }
}

impl PolicyError {
    /// An error about `span` of `text`.
    pub(super) fn new(text: &str, span: &Range<usize>, key: &str, what: impl Display, hint: Option<String>) -> Self {
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let end = text.floor_char_boundary(span.end.clamp(start, text.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next().unwrap_or_default();
        let meant = text[start..end].lines().next().unwrap_or_default();
        Self {
            key: key.to_owned(),
            line: line_of(text, start),
            column: text[line_start..start].chars().count() as u32 + 1,
            what: what.to_string(),
            hint,
            excerpt: (line.to_owned(), meant.chars().count()),
        }
    }
}

/// The line of a byte offset, from 1.
pub(super) fn line_of(text: &str, offset: usize) -> u32 {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count() as u32
}
