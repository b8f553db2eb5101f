//! Recorded data, read back: a run's folder with its tables, and the requests of an episode as a stream.
//!
//! Nothing is believed that was not looked at: the manifest, each file's footer and columns, and for streams every row.

mod orders;
mod run;

pub use orders::{OrderStream, read_orders, read_orders_of};
pub(crate) use run::check_columns;
pub use run::{RunData, columns};

use std::fmt;
use std::path::PathBuf;

/// What is wrong with a file, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The row, from 1.
    pub row: Option<u64>,
    /// The column.
    pub column: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(row) = self.row {
            write!(f, ", row {row}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column `{column}`")?;
        }
        Ok(())
    }
}

/// Why data cannot be read. All of it is for the user to mend.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no run here.
    #[error("{} is not a run: there is no run.json in it", path.display())]
    NoRun {
        /// Where.
        path: PathBuf,
    },
    /// The run was not recorded.
    #[error("the run in {} has no data", path.display())]
    NoData {
        /// The run.
        path: PathBuf,
    },
    /// The recording did not end well.
    #[error("the data in {} is incomplete: its files are still marked as partial", path.display())]
    Unfinished {
        /// The data's folder.
        path: PathBuf,
    },
    /// The data is of another version.
    #[error("{} has schema {found}, but this release reads {expected}", path.display())]
    Version {
        /// The manifest.
        path: PathBuf,
        /// Its schema and version.
        found: String,
        /// Ours.
        expected: String,
    },
    /// A file is not what it should be.
    #[error("{place}: expected {expected}, found {found}")]
    Wrong {
        /// Where.
        place: Place,
        /// What should be there.
        expected: String,
        /// What is.
        found: String,
    },
}

impl ReadError {
    pub(crate) fn wrong(place: Place, expected: impl Into<String>, found: impl fmt::Display) -> Self {
        Self::Wrong { place, expected: expected.into(), found: found.to_string() }
    }

    /// What to do about it, where that does not go without saying.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoRun { .. } => Some("name the folder that `assay run --out` wrote, or its run.json"),
            Self::NoData { .. } => {
                Some("run it again with --data; after a run in several markets, name the folder of one of them")
            }
            Self::Unfinished { .. } => Some("the run was killed, or the disk was full; run it again with --data"),
            Self::Version { .. } => Some("run it again with --data, or read it with the release that wrote it"),
            Self::Wrong { .. } => None,
        }
    }
}

impl Place {
    pub(crate) fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), row: None, column: None }
    }

    pub(crate) fn column(path: impl Into<PathBuf>, column: &str) -> Self {
        Self { column: Some(column.to_owned()), ..Self::file(path) }
    }
}
