//! Why a patch does not apply.

use crate::TreeError;
use std::fmt;

/// Where, and what. The tree is untouched.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct PatchError {
    /// The path in question, special bytes escaped; `None` before the first file.
    pub file: Option<String>,
    /// Which hunk of the file, from one.
    pub hunk: Option<usize>,
    /// The line of the patch, from one.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}, ")?;
        }
        if let Some(hunk) = self.hunk {
            write!(f, "hunk {hunk}, ")?;
        }
        write!(f, "line {} of the patch: {}", self.line, self.problem)
    }
}

/// What can be wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// This is not a patch as git writes it.
    #[error("malformed patch: {0}")]
    Malformed(&'static str),
    /// It is, but it does what trees do not.
    #[error("not supported: {0}")]
    Unsupported(&'static str),
    /// The file to change or remove is not there.
    #[error("no such file")]
    NotFound,
    /// Something is where the patch would make a file, or on the way to it.
    #[error("something else is there already")]
    Exists,
    /// A file where the patch expects a symlink, or the reverse.
    #[error("it is not of the kind that the patch changes")]
    WrongKind,
    /// The hunk begins behind the end of the file.
    #[error("the file has only {lines} lines")]
    BeyondEnd {
        /// How many it has.
        lines: usize,
    },
    /// A line of the file is not what the patch says.
    #[error("line {file_line} of the file should be \"{wanted}\" but {}", .found.as_ref().map_or("the file ends there".into(), |line| format!("is \"{line}\"")))]
    Differs {
        /// The line of the file, from one.
        file_line: usize,
        /// What the patch says, special bytes escaped.
        wanted: String,
        /// What is there; `None` at the end of the file.
        found: Option<String>,
    },
    /// A binary patch was made from another content.
    #[error("the patch was made from another content of this file")]
    WrongBase,
    /// A removed file holds more than the patch removes.
    #[error("the file has content that the patch does not remove")]
    NotAllRemoved,
    /// The tree does not take the result.
    #[error(transparent)]
    Tree(#[from] TreeError),
}
