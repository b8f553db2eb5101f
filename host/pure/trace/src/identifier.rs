//! Names that tie records together: of trajectories, messages and tool calls.
//!
//! Invariant: an identifier is 1 to [`IDENTIFIER_BYTES_MAX`] bytes of text without control characters, so it fits in one line of any
//! log and never has to be escaped twice.

use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// The longest identifier. Providers' call ids stay under a hundred bytes; scenario ids are paths at most.
pub const IDENTIFIER_BYTES_MAX: usize = 256;

/// Why a text is not an identifier.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IdentifierError {
    /// The text is empty.
    #[error("an identifier must not be empty")]
    Empty,
    /// The text is longer than [`IDENTIFIER_BYTES_MAX`].
    #[error("an identifier of {bytes} bytes, at most {IDENTIFIER_BYTES_MAX}")]
    TooLong {
        /// Length in bytes.
        bytes: usize,
    },
    /// The text holds a line break or another control character.
    #[error("the identifier {text:?} contains a control character")]
    ControlCharacter {
        /// The text as it came.
        text: String,
    },
}

fn checked(text: String) -> Result<String, IdentifierError> {
    if text.is_empty() {
        Err(IdentifierError::Empty)
    } else if text.len() > IDENTIFIER_BYTES_MAX {
        Err(IdentifierError::TooLong { bytes: text.len() })
    } else if text.chars().any(char::is_control) {
        Err(IdentifierError::ControlCharacter { text })
    } else {
        Ok(text)
    }
}

macro_rules! identifiers {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// A checked identifier.
            ///
            /// # Errors
            /// The text is empty, too long or holds a control character.
            pub fn new(text: impl Into<String>) -> Result<Self, IdentifierError> {
                checked(text.into()).map(Self)
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdentifierError;

            fn try_from(text: String) -> Result<Self, IdentifierError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(identifier: $name) -> Self {
                identifier.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

identifiers! {
    /// Names a trajectory, across files.
    TrajectoryId;
    /// Names a message within its trajectory.
    MessageId;
    /// Names a tool call within its trajectory; the tool's answer carries it too.
    CallId;
}

impl MessageId {
    /// The id of the message at `position`, counted from 1, in records that were written before messages had ids: `m1`, `m2`, …
    #[must_use]
    pub fn by_position(position: usize) -> Self {
        Self(format!("m{position}"))
    }
}
