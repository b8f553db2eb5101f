//! Where a store is: a file of SQLite, found from a folder upwards as git finds its own, or a PostgreSQL server by URL.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

/// The project's folder that holds the store and its artifacts.
pub const FOLDER: &str = ".assay";
const FILE: &str = "store.db";

/// See the module documentation.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file of SQLite.
    Sqlite(PathBuf),
    /// A PostgreSQL server; the URL may hold a password and is never shown.
    Postgres(String),
}

/// A text that names no store.
#[derive(Debug, thiserror::Error)]
#[error("`{scheme}://` is no kind of store")]
pub struct LocationError {
    scheme: String,
}

impl Location {
    /// What a person has written: `postgres://…`, or the path of a file.
    ///
    /// # Errors
    /// A URL of something else.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        match text.split_once("://") {
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres(text.to_owned())),
            Some((scheme, _)) => Err(LocationError { scheme: scheme.to_owned() }),
            None => Ok(Self::Sqlite(PathBuf::from(text))),
        }
    }

    /// The project's store: in the nearest folder upwards that has a [`FOLDER`], else in a new one right here.
    #[must_use]
    pub fn of_project(folder: &Path) -> Self {
        let found = folder.ancestors().find(|folder| folder.join(FOLDER).is_dir());
        Self::Sqlite(found.unwrap_or(folder).join(FOLDER).join(FILE))
    }

    /// The folder beside a file's store in which artifacts lie; a server has none.
    #[must_use]
    pub fn artifacts(&self) -> Option<PathBuf> {
        match self {
            Self::Sqlite(path) => Some(path.with_file_name("artifacts")),
            Self::Postgres(_) => None,
        }
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "{}", path.display()),
            Self::Postgres(url) => {
                let rest = url.split_once("://").map_or("", |(_, rest)| rest);
                let rest = rest.split(['?', '#']).next().unwrap_or_default();
                write!(f, "postgres://{}", rest.rsplit_once('@').map_or(rest, |(_, host)| host))
            }
        }
    }
}

/// Without the password.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}
