//! What can go wrong in a tree. All but [`TreeError::Blob`] is the doing of whoever gave the path; that one is infrastructure.

use crate::Digest;

/// Why an operation was refused; the tree is then as it was. The text completes "cannot open PATH: …".
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeError {
    /// `ENOENT`
    #[error("no such file or directory")]
    NotFound,
    /// `ENOTDIR`
    #[error("not a directory")]
    NotADirectory,
    /// `EISDIR`
    #[error("is a directory")]
    IsADirectory,
    /// `EEXIST`
    #[error("file exists")]
    Exists,
    /// `ENOTEMPTY`
    #[error("directory not empty")]
    NotEmpty,
    /// `ELOOP`
    #[error("too many levels of symbolic links")]
    Loop,
    /// `EINVAL`
    #[error("invalid argument: {0}")]
    Invalid(&'static str),
    /// `ENAMETOOLONG`
    #[error("file name too long: at most {max} {unit}")]
    NameTooLong {
        /// The limit.
        max: usize,
        /// Of what.
        unit: &'static str,
    },
    /// `ENOSPC`
    #[error("no space left: at most {max} {unit}")]
    NoSpace {
        /// The limit.
        max: u64,
        /// Of what.
        unit: &'static str,
    },
    /// `EIO`: the content of a file could not be had. Never the guest's doing.
    #[error(transparent)]
    Blob(#[from] BlobError),
}

impl TreeError {
    /// The name in `errno.h`.
    #[must_use]
    pub const fn errno_name(&self) -> &'static str {
        self.errno_entry().0
    }

    /// The number on Linux.
    #[must_use]
    pub const fn errno(&self) -> i32 {
        self.errno_entry().1
    }

    const fn errno_entry(&self) -> (&'static str, i32) {
        match self {
            Self::NotFound => ("ENOENT", 2),
            Self::Blob(_) => ("EIO", 5),
            Self::Exists => ("EEXIST", 17),
            Self::NotADirectory => ("ENOTDIR", 20),
            Self::IsADirectory => ("EISDIR", 21),
            Self::Invalid(_) => ("EINVAL", 22),
            Self::NoSpace { .. } => ("ENOSPC", 28),
            Self::NameTooLong { .. } => ("ENAMETOOLONG", 36),
            Self::NotEmpty => ("ENOTEMPTY", 39),
            Self::Loop => ("ELOOP", 40),
        }
    }
}

/// A file's content is not where it should be: infrastructure, never a score.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("content {digest} cannot be loaded: {reason}")]
pub struct BlobError {
    /// Which content.
    pub digest: Digest,
    /// What the store says.
    pub reason: String,
}
