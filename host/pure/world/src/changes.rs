//! In what two states differ, leaf by leaf: what explains a score.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// Leaves of a state by path.
pub type Leaves = BTreeMap<String, Value>;

/// One leaf that differs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Change {
    /// Where: `documents/COLLECTION/ID/PATH`, `mail/ADDRESS/NUMBER/FIELD`, `files/PATH`, `databases/NAME/…`.
    pub path: String,
    /// What was there; nothing where it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// What is there now; nothing where it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Value| value.to_string();
        match (&self.before, &self.after) {
            (None, Some(after)) => write!(f, "+ {} = {}", self.path, shown(after)),
            (Some(before), None) => write!(f, "- {} = {}", self.path, shown(before)),
            (Some(before), Some(after)) => write!(f, "~ {} = {} (was {})", self.path, shown(after), shown(before)),
            (None, None) => write!(f, "  {}", self.path),
        }
    }
}

/// The changes from one set of leaves to another, by path.
#[must_use]
pub fn between(mut before: Leaves, after: Leaves) -> Vec<Change> {
    let mut changes = Vec::new();
    for (path, after) in after {
        match before.remove(&path) {
            Some(before) if before == after => {}
            before => changes.push(Change { path, before, after: Some(after) }),
        }
    }
    changes.extend(before.into_iter().map(|(path, before)| Change { path, before: Some(before), after: None }));
    changes.sort_by(|one, other| one.path.cmp(&other.path));
    changes
}

/// Whether a path fits a pattern: parts between `/`; `*` stands for one part, `**` at the end for any number.
#[must_use]
pub fn fits(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut found) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), found.next()) {
            (None, None) | (Some("**"), _) => return true,
            (Some("*"), Some(_)) => {}
            (Some(one), Some(other)) if one == other => {}
            _ => return false,
        }
    }
}
