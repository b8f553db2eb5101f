//! Why the folder of a run cannot be used.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::journal::JournalError;

/// Why a folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// Another process works in it.
    #[error("another run is working in {} (process {pid})", path.display())]
    Taken {
        /// The folder.
        path: PathBuf,
        /// The process, as it wrote it down.
        pid: String,
    },
    /// It holds something else.
    #[error("{} is not an Assay run: {why}", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
        /// How that is known.
        why: String,
    },
    /// The run in it began with other settings.
    #[error("the run was started with other settings: {name} was {was}, now it is {now}")]
    Differs {
        /// The setting.
        name: String,
        /// What it was.
        was: String,
        /// What it is.
        now: String,
    },
    /// It cannot be read or written.
    #[error("failed to use {}: {why}", path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// What happened.
        why: io::Error,
    },
    /// A trajectory without a line in the journal is none of ours.
    #[error("failed to read {}: {why}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What it would need.
        why: String,
    },
    /// Its journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl FolderError {
    /// What a user can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Taken { .. } => "wait for it, or choose another folder with --out",
            Self::NotOurs { .. } => "choose another folder with --out; nothing in this one was touched",
            Self::Differs { .. } => "repeat the original command, or choose another folder with --out",
            Self::TooLarge { .. } => "no episode writes that: move the file away, and the episode is run again",
            Self::Journal(error) => return error.hint(),
            Self::Io { .. } => return None,
        };
        Some(hint.to_owned())
    }
}
