//! Where commands write what they were asked for: standard output, or a file that appears whole or not at all.
//!
//! Invariant: nothing that exists is overwritten, but by [`replace`], which is for reports that a command was told where to put.

use crate::exit::Failure;
use crate::ui;
use std::io::{BufWriter, Error, ErrorKind, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Why writing ended early.
pub(crate) enum Stop {
    /// The bytes cannot be put where they belong.
    Io(Error),
    /// Something else, that need not have to do with writing.
    Failure(Failure),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Io(error)
    }
}

impl From<serde_json::Error> for Stop {
    fn from(error: serde_json::Error) -> Self {
        Self::Io(error.into())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// What became of a file that was to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Placed {
    /// It is new.
    Written,
    /// It was there with the same content.
    Unchanged,
}

/// Writes piece by piece to standard output. A reader that goes away early is no error.
pub(crate) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> Result<(), Stop>) -> Result<(), Failure> {
    let mut pieces = ui::pieces();
    match write(&mut pieces).and_then(|()| Ok(pieces.flush()?)) {
        Ok(()) => Ok(()),
        Err(Stop::Failure(failure)) => Err(failure),
        Err(Stop::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(Stop::Io(error)) => Err(Failure::infrastructure(format!("failed to write to standard output: {error}"))),
    }
}

/// Who may read a new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Readers {
    Everybody,
    Owner,
}

/// Writes a new file piece by piece; until all of it is written there is none.
pub(crate) fn to_new_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), Stop>) -> Result<(), Failure> {
    to_new_file_for(Readers::Everybody, path, write)
}

/// Writes a new file that only its owner may read, from the first byte on.
pub(crate) fn to_new_secret_file(path: &Path, text: &str) -> Result<(), Failure> {
    to_new_file_for(Readers::Owner, path, |file| Ok(file.write_all(text.as_bytes())?))
}

fn to_new_file_for(
    readers: Readers,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Stop>,
) -> Result<(), Failure> {
    let taken = || {
        Failure::usage(format!("{} exists already; it was not touched", path.display()))
            .hint("choose another name, or remove it first")
    };
    // Found before the work is done; a file that appears meanwhile is found at the end.
    if path.symlink_metadata().is_ok() {
        return Err(taken());
    }
    let mut file = BufWriter::new(draft(readers, path)?);
    let result = write(&mut file);
    let failed =
        |error: &dyn std::fmt::Display| Failure::infrastructure(format!("failed to write {}: {error}", path.display()));
    match result {
        Ok(()) => {}
        Err(Stop::Failure(failure)) => return Err(failure),
        Err(Stop::Io(error)) => return Err(failed(&error)),
    }
    let file = file.into_inner().map_err(|error| failed(&error))?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Err(taken()),
        Err(error) => Err(failed(&error)),
    }
}

/// Makes sure that a file with these bytes is there. One with other bytes is an error, and not touched.
pub(crate) fn place(path: &Path, bytes: &[u8]) -> Result<Placed, Failure> {
    let is_as_long = |found: std::fs::Metadata| found.is_file() && found.len() == bytes.len() as u64;
    let is_same = path.metadata().is_ok_and(is_as_long) && std::fs::read(path).is_ok_and(|found| found == bytes);
    if is_same {
        return Ok(Placed::Unchanged);
    }
    to_new_file(path, |file| Ok(file.write_all(bytes)?)).map(|()| Placed::Written)
}

/// Writes a report whole, or leaves what was there as it was. What is no regular file, such as `/dev/stdout`, is written to.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed =
        |error: &dyn std::fmt::Display| Failure::infrastructure(format!("failed to write {}: {error}", path.display()));
    if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return std::fs::write(path, bytes).map_err(|error| failed(&error));
    }
    let mut file = draft(Readers::Everybody, path)?;
    file.write_all(bytes).map_err(|error| failed(&error))?;
    file.persist(path).map_err(|error| failed(&error.error))?;
    Ok(())
}

/// A file without a name, to be given one beside the others.
fn draft(readers: Readers, path: &Path) -> Result<NamedTempFile, Failure> {
    let mode = if readers == Readers::Owner { 0o600 } else { 0o644 };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::Builder::new()
        .prefix(".assay-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
        .tempfile_in(folder)
        .map_err(|error| {
            Failure::usage(format!("failed to write {}: {error}", path.display()))
                .hint("name a file in a folder that is there and that you may write to")
        })
}
