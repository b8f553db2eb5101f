//! What a slot of a generation is asked for.

use serde::{Deserialize, Serialize};

/// See the module documentation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// A model improves the program.
    Improve,
    /// A model tries another idea than those before.
    Explore,
    /// A model makes it simpler.
    Simplify,
    /// A model mends its greatest weakness.
    Mend,
    /// A model or the tuner crosses two programs.
    Cross,
    /// The tuner draws from the whole ranges.
    Spread,
    /// The tuner looks near a good program.
    Near,
}

impl Operator {
    /// Those of models, in the order in which the slots of the first generation have them.
    pub const OF_MODELS: [Self; 5] = [Self::Improve, Self::Explore, Self::Simplify, Self::Mend, Self::Cross];

    /// What a model is asked for in a slot where they go in turn: in the first generation, and up to version 4 in all.
    #[must_use]
    pub const fn of_slot(slot: u32) -> Self {
        Self::OF_MODELS[slot as usize % Self::OF_MODELS.len()]
    }

    /// In a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Improve => "improve",
            Self::Explore => "another idea",
            Self::Simplify => "simplify",
            Self::Mend => "mend",
            Self::Cross => "cross",
            Self::Spread => "spread",
            Self::Near => "look near",
        }
    }
}
