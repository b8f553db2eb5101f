//! What can go wrong with a store, and what to do about it.

use crate::ArtifactError;
use std::time::Duration;

/// Why the store could not do it. `place` is the store as a person knows it, without passwords.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is none.
    #[error("there is no store at {place}")]
    Missing {
        /// Where it was looked for.
        place: String,
    },
    /// Another process holds it for longer than we wait.
    #[error("the store {place} is locked by another process; gave up after {} s", .waited.as_secs())]
    Locked {
        /// Which store.
        place: String,
        /// How long.
        waited: Duration,
    },
    /// The file or its folder cannot be written, or not be opened at all.
    #[error("the store {place} cannot be written: {why}")]
    NotWritable {
        /// Which store.
        place: String,
        /// What the system says.
        why: String,
    },
    /// No room is left.
    #[error("the store {place} is full: {why}")]
    Full {
        /// Which store.
        place: String,
        /// What the database says.
        why: String,
    },
    /// It is a store no more, or never was; it has not been touched.
    #[error("{place} is damaged, or is not a store: {why}")]
    Damaged {
        /// Which file.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// A later Assay has written it.
    #[error("the store {place} has schema version {found}, but this Assay supports versions up to {known}")]
    Newer {
        /// Which store.
        place: String,
        /// Its version.
        found: i64,
        /// The latest known one.
        known: i64,
    },
    /// The server does not answer, or lets nobody in.
    #[error("the store {place} cannot be reached: {why}")]
    Unreachable {
        /// Which store.
        place: String,
        /// What happened.
        why: String,
    },
    /// No run has this id.
    #[error("no run has an id that begins with `{0}`")]
    NoRun(String),
    /// Several runs have ids that begin like this.
    #[error("several runs have ids that begin with `{0}`")]
    Ambiguous(String),
    /// A file of a run.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The database refuses for another reason.
    #[error("the store {place} failed: {why}")]
    Database {
        /// Which store.
        place: String,
        /// What it says.
        why: String,
    },
}

impl StoreError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Missing { .. } => {
                Some("`assay run` and `assay gate` create one; name another with --store or ASSAY_STORE")
            }
            Self::Locked { .. } => Some("wait for the other process, or end it, and try again"),
            Self::NotWritable { .. } => {
                Some("name a store in a folder that you can write to, with --store or ASSAY_STORE")
            }
            Self::Full { .. } => Some("free some disk space, or remove old runs with `assay rm`"),
            Self::Damaged { .. } => {
                Some("it was left as it is: restore it from a backup, or move it away to start with a new one")
            }
            Self::Newer { .. } => {
                Some("use the Assay that wrote it, or name another store with --store or ASSAY_STORE")
            }
            Self::Unreachable { .. } => Some("check the URL in --store or ASSAY_STORE, and that the server is running"),
            Self::NoRun(_) => Some("`assay runs` lists them"),
            Self::Ambiguous(_) => Some("give more characters of the id; `assay runs` lists them"),
            Self::Artifact(error) => error.hint(),
            Self::Database { .. } => None,
        }
    }

    /// Whether it is about the store as a whole: as long as it lasts, nothing else can be written either.
    #[must_use]
    pub fn is_of_store(&self) -> bool {
        match self {
            Self::Missing { .. }
            | Self::Locked { .. }
            | Self::NotWritable { .. }
            | Self::Full { .. }
            | Self::Damaged { .. }
            | Self::Newer { .. }
            | Self::Unreachable { .. } => true,
            Self::Artifact(error) => matches!(error, ArtifactError::Failed { .. }),
            Self::NoRun(_) | Self::Ambiguous(_) | Self::Database { .. } => false,
        }
    }

    /// Whether the person who typed the command can mend it by typing another.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::NoRun(_) | Self::Ambiguous(_) | Self::Newer { .. })
    }
}
