//! The way to a folder that is written into.
//!
//! What lies below the working directory may be a stranger's checkout, so no link on the way there is followed. Outside of it the way is that of whoever runs the
//! command: their home may well be a link. The last part is never one.

use crate::error::OpenError;
use crate::folder::Folder;
use crate::open::Links;
use std::io;
use std::path::{Component, Path, PathBuf};

impl Folder {
    /// Opens a folder to write into, and makes it and those above it where they are not there. It is not reached through a link.
    ///
    /// # Errors
    /// When it cannot be made, is a link, or a folder on the way below the working directory is one.
    pub fn make(path: &Path) -> io::Result<Self> {
        make(path, 0o777)
    }

    /// The same for a folder that has to belong to this process's user.
    ///
    /// # Errors
    /// As [`Folder::make`], and when it belongs to another user.
    pub fn own(path: &Path) -> Result<Self, OpenError> {
        make(path, 0o700)?.checked_own()
    }
}

/// Opens the folder that a path's last part lies in.
pub(crate) fn parent(path: &Path) -> io::Result<Folder> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match below_here(folder) {
        Some(inside) => step_down(folder, &inside, &|at, name| at.folder(name)),
        None => Ok(Folder::open(folder, Links::Followed)?),
    }
}

/// Opens a folder, and makes it where it is not there.
fn make(path: &Path, mode: u32) -> io::Result<Folder> {
    match below_here(path) {
        Some(inside) => step_down(path, &inside, &|at, name| at.make_folder(name, mode)),
        None => {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Ok(Folder::open(path, Links::Followed)?);
            };
            std::fs::create_dir_all(parent)?;
            Folder::open(parent, Links::Followed)?.make_folder(name, mode).map_err(|error| named(path, error))
        }
    }
}

/// The way from the working directory, if that is where a path leads by its spelling.
fn below_here(path: &Path) -> Option<PathBuf> {
    let inside = if path.is_absolute() {
        // Below the root is everything.
        let here = std::env::current_dir().ok().filter(|here| here.parent().is_some())?;
        path.strip_prefix(here).ok()?.to_owned()
    } else {
        path.to_owned()
    };
    // Whoever writes `..` leaves it, and from there on the way is theirs.
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    inside.components().all(is_plain).then_some(inside)
}

/// Goes down part by part.
fn step_down(
    whole: &Path,
    inside: &Path,
    enter: &dyn Fn(&Folder, &std::ffi::OsStr) -> Result<Folder, OpenError>,
) -> io::Result<Folder> {
    let mut at = Folder::open(Path::new("."), Links::Followed)?;
    let mut walked = PathBuf::new();
    for part in inside.components() {
        if let Component::Normal(name) = part {
            walked.push(name);
            at = enter(&at, name).map_err(|error| named(&walked, error))?;
        }
    }
    Ok(at.called(whole))
}

/// Says which part of the way is meant.
fn named(path: &Path, error: OpenError) -> io::Error {
    match error {
        OpenError::Link => io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "{} is a symbolic link, which is not followed when writing; name the folder that it points to",
                path.display()
            ),
        ),
        OpenError::NotAFolder => {
            io::Error::new(io::ErrorKind::NotADirectory, format!("{} is not a folder", path.display()))
        }
        other => other.into(),
    }
}
