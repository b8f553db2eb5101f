//! Where a candidate stands: its generation and its slot there.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The place of a candidate. Written `3.7`: generation 3, slot 7.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Place {
    /// Generations count from 1; 0 is what the session began with.
    pub generation: u32,
    /// Slots count from 0.
    pub slot: u32,
}

impl Place {
    /// The strategy that the session began with.
    pub const ORIGIN: Self = Self { generation: 0, slot: 0 };
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.generation, self.slot)
    }
}

impl From<Place> for String {
    fn from(place: Place) -> Self {
        place.to_string()
    }
}

impl TryFrom<String> for Place {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parts = text.split_once('.').and_then(|(generation, slot)| {
            Some(Self { generation: generation.parse().ok()?, slot: slot.parse().ok()? })
        });
        parts.ok_or_else(|| format!("`{text}` is not a valid place"))
    }
}
