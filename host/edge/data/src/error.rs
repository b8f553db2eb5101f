//! What can go wrong while data is written.

use std::io;
use std::path::PathBuf;

/// Why a recording could not be kept. None of it says anything about the strategy.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The disk, or whoever guards it, said no.
    #[error("failed to {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is something else where the data should go.
    #[error("{} is not part of an Assay recording; it was not touched", path.display())]
    Taken {
        /// What is there.
        path: PathBuf,
    },
    /// A table could not be encoded.
    #[error("failed to encode the data")]
    Encode(#[from] parquet::errors::ParquetError),
    /// A bug of ours ended the writer.
    #[error("the thread that writes the data panicked")]
    Panicked,
}

impl WriteError {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.into(), source }
    }
}
