//! Opens files in a folder that others may write to.

use rustix::fs::OFlags;
use std::fs::{File, Metadata};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// What is at a path.
pub(crate) enum Found {
    /// Nothing, or nothing that can be opened.
    Nothing,
    /// A link, a folder, a pipe, a device.
    NoFile,
    /// A regular file.
    File(File, Metadata),
}

/// Opens a regular file for reading.
pub(crate) fn open(path: &Path) -> Found {
    // Before it is opened: opening a device can have effects of its own.
    let Ok(metadata) = path.symlink_metadata() else { return Found::Nothing };
    if !metadata.is_file() {
        return Found::NoFile;
    }
    // It may have been exchanged since: a link is not followed, and nobody is waited for at the other end of a pipe.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let Ok(file) = File::options().read(true).custom_flags(flags).open(path) else { return Found::Nothing };
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => Found::File(file, metadata),
        Ok(_) => Found::NoFile,
        Err(_) => Found::Nothing,
    }
}
