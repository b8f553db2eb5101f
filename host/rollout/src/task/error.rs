//! Why tasks could not be loaded. All of it is the user's to mend.

use std::fmt::Display;
use std::path::Path;

use thiserror::Error;

/// What is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("failed to load {place}: {what}")]
pub struct LoadError {
    /// The file or folder, with a line where one is known.
    pub place: String,
    /// What is wrong there. It shows nothing of a task's secret part but names of files.
    pub what: String,
    /// What the user can do about it.
    pub hint: Option<String>,
}

impl LoadError {
    pub(crate) fn new(place: &Path, what: impl Display) -> Self {
        Self { place: place.display().to_string(), what: what.to_string(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
