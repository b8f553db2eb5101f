//! Where commands write what they were asked for: standard output, or a file that appears whole or not at all.
//!
//! Invariants: nothing that exists is overwritten, but by [`replace`], which is for reports that a command was told where to put; nothing is written through a
//! link ([`assay_files`]).

use crate::{Failure, face};
use assay_files::{Existing, Links};
use assay_validator::JsonEscaper;
use serde::Serialize;
use std::io::{BufWriter, Error, ErrorKind, Write};
use std::path::Path;

/// Why writing ended early.
pub enum Stop {
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

/// Writes piece by piece to where results go. A reader that goes away early is not an error.
///
/// # Errors
/// Where the bytes cannot be written, or `write` ends early.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> Result<(), Stop>) -> Result<(), Failure> {
    let mut pieces = face::pieces();
    match write(&mut pieces).and_then(|()| Ok(pieces.flush()?)) {
        Ok(()) => Ok(()),
        Err(Stop::Failure(failure)) => Err(failure),
        Err(Stop::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(Stop::Io(error)) => Err(Failure::infrastructure(format!("failed to write to standard output: {error}"))),
    }
}

/// The same for JSON: an escape stands for each character that would hide or reorder text on a screen.
///
/// # Errors
/// As [`to_stdout`].
pub(crate) fn json_to_stdout(write: impl FnOnce(&mut dyn Write) -> Result<(), Stop>) -> Result<(), Failure> {
    to_stdout(|out| {
        let mut out = BufWriter::new(JsonEscaper::new(out));
        write(&mut out)?;
        Ok(out.flush()?)
    })
}

/// Writes a value as JSON to where results go.
///
/// # Errors
/// As [`to_stdout`].
pub(crate) fn json(value: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
    json_to_stdout(|out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        Ok(writeln!(out)?)
    })
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
        Failure::usage(format!("{} already exists; it was not touched", path.display()))
            .hint("choose another name, or remove it first")
    };
    // Found before the work is done; a file that appears meanwhile is found at the end.
    if path.symlink_metadata().is_ok() {
        return Err(taken());
    }
    let (folder, name) = assay_files::beside(path).map_err(|error| no_place(path, &error))?;
    let mode = if readers == Readers::Owner { 0o600 } else { 0o644 };
    let draft = folder.draft(mode).map_err(|error| no_place(path, &error))?;
    let mut file = BufWriter::new(draft);
    let result = write(&mut file);
    let failed =
        |error: &dyn std::fmt::Display| Failure::infrastructure(format!("failed to write {}: {error}", path.display()));
    match result {
        Ok(()) => {}
        Err(Stop::Failure(failure)) => return Err(failure),
        Err(Stop::Io(error)) => return Err(failed(&error)),
    }
    let draft = file.into_inner().map_err(|error| failed(&error))?;
    match draft.name(&name, Existing::Kept) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(taken()),
        Err(error) => Err(failed(&error)),
    }
}

/// Makes sure that a file with these bytes is there. One with other bytes is an error, and not touched.
pub(crate) fn place(path: &Path, bytes: &[u8]) -> Result<Placed, Failure> {
    let is_same = assay_files::read(path, Links::Followed, bytes.len() as u64).is_ok_and(|found| found == bytes);
    if is_same {
        return Ok(Placed::Unchanged);
    }
    to_new_file(path, |file| Ok(file.write_all(bytes)?)).map(|()| Placed::Written)
}

/// What people submit or write, and no report is called: strategies, components, policies and scenarios.
const SOURCES: [&str; 4] = ["rs", "py", "wasm", "toml"];

/// Writes a report whole, or leaves what was there as it was. A link is replaced, not written through; `/dev/stdout` and its like are written to.
///
/// # Errors
/// Where the file cannot be written, or is somebody's source.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let is_source =
        SOURCES.iter().any(|ending| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending)));
    if is_source && path.symlink_metadata().is_ok() {
        return Err(Failure::usage(format!("{} looks like a source file; it was not replaced", path.display()))
            .hint("name another file for the report, such as report.json"));
    }
    assay_files::replace(path, bytes, 0o644).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::InvalidInput | ErrorKind::NotADirectory | ErrorKind::PermissionDenied => {
            no_place(path, &error)
        }
        _ => Failure::infrastructure(format!("failed to write {}: {error}", path.display())),
    })
}

fn no_place(path: &Path, error: &Error) -> Failure {
    Failure::usage(format!("failed to write {}: {error}", path.display()))
        .hint("name a file in an existing folder that you can write to")
}
