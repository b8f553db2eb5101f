//! One name in a directory.

use crate::{NAME_MAX, TreeError};
use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// 1 to 255 bytes, none of them zero or `/`; not `.` or `..`. Any encoding, or none. Cheap to clone; ordered by bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<[u8]>);

impl Name {
    /// A checked name.
    ///
    /// # Errors
    /// `ENAMETOOLONG`, or `EINVAL` for what can never name an entry.
    pub fn new(bytes: &[u8]) -> Result<Self, TreeError> {
        if bytes.len() > NAME_MAX {
            return Err(TreeError::NameTooLong { max: NAME_MAX, unit: "bytes in a name" });
        }
        if matches!(bytes, b"" | b"." | b"..") || bytes.iter().any(|byte| matches!(byte, 0 | b'/')) {
            return Err(TreeError::Invalid("this cannot name an entry"));
        }
        Ok(Self(bytes.into()))
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// `Name` compares as its bytes do, so maps can be asked by bytes.
impl Borrow<[u8]> for Name {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}
