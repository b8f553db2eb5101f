//! Files in places that somebody else may have filled: a checkout, a submission, a task folder, a cache that was restored from elsewhere.
//!
//! There is one way to open and one way to write, and everything in Assay that touches such a place goes through them:
//!
//! ```text
//! open   is it a regular file? ─► open, without following a link or waiting ─► is it one still? ─► read, no more than a limit
//! write  a draft beside it, made new ─► rename, in the folder that was opened
//! ```
//!
//! Invariants: a pipe, a socket or a device is refused and never waited for; what lies in a [`Folder`] is named by one part of a path and reached through
//! the open folder, so no link leads out of it and nothing changes between the check and the use; a link is never written through, neither as the file nor as
//! a folder on the way to it below the working directory; a file appears whole or not at all; [`Folder::own`] hands out only folders that are ours; what
//! is swept away has a name that we gave it and is what we made.
//!
//! Absent on purpose: what files mean, and words for people beyond what was found.

mod draft;
mod error;
mod folder;
mod open;
mod walk;

pub use draft::{DRAFT_PREFIX, Draft, Existing, is_draft};
pub use error::OpenError;
pub use folder::{Folder, Found, Kind, user};
pub use open::{Links, open, read, read_text};

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a file whole, or leaves what was there as it was. A link of that name is replaced, not followed; what is neither that nor a regular file is left.
/// One of the process's own streams, such as `/dev/stdout`, is written to.
///
/// # Errors
/// When it cannot be written, a folder on the way is a link, or something is there that is not a file.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    if open::is_stream(path) {
        return std::fs::File::options().write(true).open(path)?.write_all(bytes);
    }
    let (folder, name) = beside(path)?;
    if matches!(folder.kind(&name)?, Some(Kind::Folder | Kind::Other)) {
        return Err(OpenError::NotAFile.into());
    }
    folder.write(&name, bytes, mode)
}

/// The folder that a file is written into, and its name there.
///
/// # Errors
/// When the path names no file, the folder is not there, or a folder on the way is a link.
pub fn beside(path: &Path) -> io::Result<(Folder, OsString)> {
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it does not name a file"))?;
    Ok((walk::parent(path)?, name.to_owned()))
}
