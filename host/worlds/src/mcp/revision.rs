//! Revisions of the Model Context Protocol, and in what they differ for tools.

/// A revision of the protocol that begins with a handshake.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Revision {
    /// 2024-11-05.
    First,
    /// 2025-03-26: tools say whether they only read; several messages may come at once.
    Annotated,
    /// 2025-06-18: one message at a time; each names the revision.
    Single,
    /// 2025-11-25.
    Latest,
}

impl Revision {
    /// All of them, oldest first.
    pub const ALL: &[Self] = &[Self::First, Self::Annotated, Self::Single, Self::Latest];

    /// Its name, which is a date.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "2024-11-05",
            Self::Annotated => "2025-03-26",
            Self::Single => "2025-06-18",
            Self::Latest => "2025-11-25",
        }
    }

    /// The revision of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|revision| revision.name() == name)
    }

    /// Whether tools say what they do to the world.
    pub(super) fn has_annotations(self) -> bool {
        self >= Self::Annotated
    }

    /// Whether several messages may come at once.
    pub(super) fn has_batches(self) -> bool {
        self < Self::Single
    }
}
