//! Names of runs.
//!
//! A run that simply happens is named by a UUIDv7: the time in milliseconds, a counter, randomness. A result that is a function of its
//! inputs, such as a verdict, is named by their hash (UUIDv8), so that recording it again is recording the same.

use std::fmt::{self, Display};
use std::str::FromStr;
use uuid::Uuid;

/// A run's name: a UUID in its usual form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RunId(Uuid);

/// A text that is no [`RunId`].
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a run id")]
pub struct IdError(String);

impl RunId {
    /// A new name; later ones of the same process sort after earlier ones, whatever the clock does.
    #[must_use]
    pub fn now() -> Self {
        Self(Uuid::now_v7())
    }

    /// The name of what these bytes determine.
    #[must_use]
    pub fn of_content(bytes: &[u8]) -> Self {
        let mut half = [0; 16];
        half.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        Self(Uuid::new_v8(half))
    }
}

impl Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl FromStr for RunId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        Uuid::parse_str(text).map(Self).map_err(|_| IdError(text.to_owned()))
    }
}
