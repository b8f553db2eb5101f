//! What requests to models are for: the number of a try says it, so that a log names each request by its candidate and one number.

/// Tries from these numbers on are for something else than a program.
const EXPLAINING: u32 = 1_000;
const REVIEWING: u32 = 2_000;
const PLANNING: u32 = 3_000;
const JUDGING: u32 = 4_000;

/// See the module documentation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Purpose {
    /// A program.
    Writing,
    /// Why a program did as it did.
    Explaining,
    /// A second look at a draft.
    Reviewing,
    /// Markets to look at besides.
    Planning,
    /// What a model thinks of a challenger.
    Judging,
}

impl Purpose {
    /// What a try of this number is for.
    #[must_use]
    pub const fn of(attempt: u32) -> Self {
        match attempt {
            ..EXPLAINING => Self::Writing,
            EXPLAINING..REVIEWING => Self::Explaining,
            REVIEWING..PLANNING => Self::Reviewing,
            PLANNING..JUDGING => Self::Planning,
            JUDGING.. => Self::Judging,
        }
    }

    /// The number of its first try.
    #[must_use]
    pub const fn first(self) -> u32 {
        match self {
            Self::Writing => 0,
            Self::Explaining => EXPLAINING,
            Self::Reviewing => REVIEWING,
            Self::Planning => PLANNING,
            Self::Judging => JUDGING,
        }
    }

    /// In a word: the model is doing this.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Writing => "writing",
            Self::Explaining => "explaining",
            Self::Reviewing => "reviewing",
            Self::Planning => "planning",
            Self::Judging => "judging",
        }
    }
}
