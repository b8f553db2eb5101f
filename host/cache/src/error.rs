//! Why an entry is not used, and why a folder cannot be.

use assay_files::OpenError;
use std::io;
use std::path::{Path, PathBuf};

/// Why an entry that was there was not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distrust {
    /// Too short to be an entry.
    Truncated,
    /// Written in another format, larger than entries are, or no regular file.
    Format,
    /// Its authentication code does not verify: changed, or written with another key.
    Tampered,
    /// Made by another engine, compiler or version.
    Stale,
    /// Made from something else.
    Foreign,
    /// Authentic, yet its user cannot read it.
    Unreadable,
}

/// Why the cache could not be used. What it would have held is made anew.
#[derive(Debug, thiserror::Error)]
#[error("failed to {step} {path}")]
pub struct CacheError {
    step: &'static str,
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl CacheError {
    /// A folder that cannot be had.
    #[must_use]
    pub fn of_folder(path: &Path, why: OpenError) -> Self {
        at("use the cache folder", path)(why)
    }
}

/// Says what was being done to what.
pub(crate) fn at<'a, E: Into<io::Error>>(step: &'static str, path: &'a Path) -> impl Fn(E) -> CacheError + 'a {
    move |source| CacheError { step, path: path.to_path_buf(), source: source.into() }
}
