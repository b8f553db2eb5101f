//! Why something was not opened.

use std::io;

/// Why something was not opened. The one who opens it knows its name.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nothing is there.
    #[error("no such file")]
    Missing,
    /// A link is there, where none is followed.
    #[error("it is a symbolic link, which is not followed")]
    Link,
    /// A file that has other names too is there, where it was to be changed.
    #[error("it is a file with several names (hard links), and the others may belong to somebody")]
    HardLink,
    /// A folder, a pipe, a socket or a device is there.
    #[error("it is not a regular file")]
    NotAFile,
    /// Something is there that is not a folder.
    #[error("it is not a folder")]
    NotAFolder,
    /// It belongs to another user.
    #[error("it belongs to another user ({owner})")]
    Foreign {
        /// Whom.
        owner: u32,
    },
    /// It is too long.
    #[error("it has more than {limit} bytes")]
    TooLarge {
        /// Its size, as far as it was looked at.
        bytes: u64,
        /// Most that is read.
        limit: u64,
    },
    /// A folder has too many entries.
    #[error("it has more than {limit} entries")]
    TooMany {
        /// Most that are listed.
        limit: usize,
    },
    /// It is not a text.
    #[error("byte {offset} is not UTF-8")]
    NotUtf8 {
        /// The first bad byte.
        offset: usize,
    },
    /// The system says no.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl OpenError {
    /// Whether nothing is there at all.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// What the system answered to an attempt to open something.
    pub(crate) fn of(error: rustix::io::Errno) -> Self {
        match error {
            rustix::io::Errno::NOENT => Self::Missing,
            rustix::io::Errno::LOOP => Self::Link,
            rustix::io::Errno::NOTDIR => Self::NotAFolder,
            // What opening a socket, or the writing end of a pipe, ends with.
            rustix::io::Errno::NXIO => Self::NotAFile,
            other => Self::Io(other.into()),
        }
    }
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        let kind = match error {
            OpenError::Io(error) => return error,
            OpenError::Missing => io::ErrorKind::NotFound,
            OpenError::Link | OpenError::HardLink | OpenError::NotAFile | OpenError::NotAFolder => {
                io::ErrorKind::InvalidInput
            }
            OpenError::Foreign { .. } => io::ErrorKind::PermissionDenied,
            OpenError::TooLarge { .. } | OpenError::TooMany { .. } => io::ErrorKind::FileTooLarge,
            OpenError::NotUtf8 { .. } => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}
