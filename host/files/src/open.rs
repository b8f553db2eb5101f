//! Opens regular files, by a path or in an open folder.

use crate::error::OpenError;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::os::fd::AsFd;
use std::path::Path;

/// What becomes of a link in the place of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Links {
    /// It is followed: whoever runs the command has named it.
    Followed,
    /// It is refused: somebody else may have put it there.
    Refused,
}

/// Opens a regular file for reading. Only its last part is looked at for [`Links::Refused`]: a [`Folder`](crate::Folder) guards the way to it. With
/// [`Links::Followed`], one of the process's own streams is opened too, such as `/dev/stdin` or what the shell makes of `<(command)`.
///
/// # Errors
/// When it is not there, no regular file, or a link that is not to be followed.
pub fn open(path: &Path, links: Links) -> Result<File, OpenError> {
    open_named(path, links).map(|(file, _)| file)
}

/// Reads a regular file of at most `bytes_max` bytes; of a larger one nothing is kept.
///
/// # Errors
/// As [`open`], and when it is larger or cannot be read.
pub fn read(path: &Path, links: Links, bytes_max: u64) -> Result<Vec<u8>, OpenError> {
    let (file, metadata) = open_named(path, links)?;
    bounded(&file, &metadata, bytes_max)
}

/// As [`read`], as text.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, links: Links, bytes_max: u64) -> Result<String, OpenError> {
    text(read(path, links, bytes_max)?)
}

fn open_named(path: &Path, links: Links) -> Result<(File, Metadata), OpenError> {
    if links == Links::Followed && is_stream(path) {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        return if metadata.is_dir() { Err(OpenError::NotAFile) } else { Ok((file, metadata)) };
    }
    open_at(CWD, path, links, OFlags::RDONLY)
}

/// Whether a path is one of the process's own streams or the void, by its spelling: where links to them lead, nobody else decides.
pub(crate) fn is_stream(path: &Path) -> bool {
    let Some(text) = path.to_str() else { return false };
    let number = text.strip_prefix("/dev/fd/").or_else(|| text.strip_prefix("/proc/self/fd/"));
    matches!(text, "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/null")
        || number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Bytes as text.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, OpenError> {
    String::from_utf8(bytes).map_err(|error| OpenError::NotUtf8 { offset: error.utf8_error().valid_up_to() })
}

/// What an open file holds, if it is not too long.
pub(crate) fn bounded(file: &File, metadata: &Metadata, bytes_max: u64) -> Result<Vec<u8>, OpenError> {
    let too_large = |bytes| OpenError::TooLarge { bytes, limit: bytes_max };
    if metadata.len() > bytes_max {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    // It may have grown since.
    if bytes.len() as u64 > bytes_max { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

/// Opens a regular file at a folder, never waiting for anybody.
pub(crate) fn open_at(
    folder: impl AsFd,
    path: &Path,
    links: Links,
    access: OFlags,
) -> Result<(File, Metadata), OpenError> {
    let (look, follow) = match links {
        Links::Followed => (AtFlags::empty(), OFlags::empty()),
        Links::Refused => (AtFlags::SYMLINK_NOFOLLOW, OFlags::NOFOLLOW),
    };
    // Before it is opened, because opening a device can have effects of its own.
    let found = statat(&folder, path, look).map_err(OpenError::of)?;
    regular(FileType::from_raw_mode(found.st_mode))?;
    // It may have been exchanged since: a link is not followed, and nobody is waited for at the other end of a pipe.
    let flags = access | follow | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(&folder, path, flags, Mode::empty()).map_err(OpenError::of)?);
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(OpenError::NotAFile) }
}

fn regular(kind: FileType) -> Result<(), OpenError> {
    match kind {
        FileType::RegularFile => Ok(()),
        FileType::Symlink => Err(OpenError::Link),
        _ => Err(OpenError::NotAFile),
    }
}
