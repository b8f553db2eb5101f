//! Reading a package: its folders, modules, JSON files and files of JSON lines.

use std::path::{Path, PathBuf};

use assay_files::{Folder, Kind, Links, OpenError};
use serde::de::DeserializeOwned;

use crate::format::wrong;
use crate::load::LoadError;
use crate::python::MODULE_FILES_MAX;

/// Folders of a library within folders.
const DEPTH_MAX: usize = 8;
/// Bytes of one file of a package; the largest has 14 MB.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The first of some places below a folder that has a file in it.
pub(super) fn find(package: &Path, places: &[&str], file: &str) -> Option<PathBuf> {
    places.iter().map(|place| package.join(place)).find(|folder| folder.join(file).is_file())
}

/// The error where nothing was found.
pub(super) fn missing(package: &Path, file: &str, hint: &str) -> LoadError {
    wrong(package, None, format!("there is no {file} in it or below it"), Some(hint.to_owned()))
}

/// The text of a file.
///
/// # Errors
/// It cannot be read.
pub(super) fn text(path: &Path) -> Result<String, LoadError> {
    let failed = |error: OpenError| wrong(path, None, error.to_string(), None);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(wrong(path, None, "it is not a file".to_owned(), None));
    };
    Folder::open(folder, Links::Followed).map_err(failed)?.read_text(name, FILE_BYTES_MAX).map_err(failed)
}

/// A JSON file.
///
/// # Errors
/// It cannot be read, or is not of this form.
pub(super) fn json<T: DeserializeOwned>(path: &Path) -> Result<T, LoadError> {
    let text = text(path)?;
    serde_json::from_str(&text).map_err(|error| wrong(path, Some(error.line()), error.to_string(), None))
}

/// A file with a JSON value on each line, each with its number.
///
/// # Errors
/// It cannot be read, or a line is not of this form.
pub(super) fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<(usize, T)>, LoadError> {
    let text = text(path)?;
    let rows = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows = rows.map(|(index, line)| {
        let row = serde_json::from_str(line).map_err(|error| wrong(path, Some(index + 1), error.to_string(), None))?;
        Ok((index + 1, row))
    });
    rows.collect()
}

/// The modules of a library as paths below `to` and texts, without its tests.
///
/// # Errors
/// One cannot be read.
pub(super) fn modules_of(library: &Path, to: &str) -> Result<Vec<(String, String)>, LoadError> {
    files_of(library, to, ".py")
}

/// The files of a folder that end like this, as paths below `to` and texts.
///
/// # Errors
/// One cannot be read.
pub(super) fn files_of(folder: &Path, to: &str, ending: &str) -> Result<Vec<(String, String)>, LoadError> {
    let mut found = Vec::new();
    collect(folder, to, DEPTH_MAX, ending, &mut found)?;
    Ok(found)
}

fn collect(
    from: &Path,
    to: &str,
    depth: usize,
    ending: &str,
    found: &mut Vec<(String, String)>,
) -> Result<(), LoadError> {
    let failed = |error: &dyn std::fmt::Display| wrong(from, None, error.to_string(), None);
    let inside = Folder::open(from, Links::Followed).map_err(|error| failed(&error))?;
    for name in inside.entries(MODULE_FILES_MAX as usize).map_err(|error| failed(&error))? {
        let Some(plain) = name.to_str() else { continue };
        match inside.kind(&name).map_err(|error| failed(&error))? {
            Some(Kind::File) if plain.ends_with(ending) => {
                found.push((format!("{to}/{plain}"), text(&from.join(plain))?));
            }
            Some(Kind::Folder) if depth > 0 && !["tests", "__pycache__"].contains(&plain) => {
                collect(&from.join(plain), &format!("{to}/{plain}"), depth - 1, ending, found)?;
            }
            _ => {}
        }
    }
    Ok(())
}
