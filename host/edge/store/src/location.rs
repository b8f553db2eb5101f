//! Where a store is: a file of SQLite, found from a folder upwards as git finds its own, or a PostgreSQL server by URL.

use assay_files::{Folder, Links, OpenError};
use std::fmt::{self, Display};
use std::io;
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
#[error("`{scheme}://` is not a supported kind of store")]
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
        // A link is found too, and refused when it is opened.
        let is_there = |folder: &&Path| {
            folder.join(FOLDER).symlink_metadata().is_ok_and(|found| found.is_dir() || found.is_symlink())
        };
        let found = folder.ancestors().find(is_there);
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

/// The project's [`FOLDER`], if a path lies in one. A checkout may bring it along, so a link in its place is refused; the way to the project is that of
/// whoever runs the command, and any other path is one that a person has named.
///
/// # Errors
/// It is a link, is not there, or cannot be made.
#[must_use]
pub fn own_folder(path: &Path, make: bool) -> Option<io::Result<Folder>> {
    let folder = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == FOLDER))?;
    let open = || {
        let project = Folder::open(folder.parent().unwrap_or(Path::new("")), Links::Followed)?;
        if make { project.make_folder(FOLDER, 0o777) } else { project.folder(FOLDER) }
    };
    Some(open().map_err(|error| match error {
        OpenError::Link => io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{} is a symbolic link, which is not followed", folder.display()),
        ),
        other => other.into(),
    }))
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
