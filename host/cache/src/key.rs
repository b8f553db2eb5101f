//! A folder's key: drawn once, and used only while nobody else can know it.

use crate::error::{CacheError, at};
use assay_files::{Existing, Folder};
use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

/// Name of the key's file in its folder.
pub(crate) const KEY_FILE: &str = "key";

/// Bytes of a key.
const KEY_BYTES: usize = 32;

pub(crate) type Key = [u8; KEY_BYTES];

/// Reads the folder's key, or makes one if there is none that only we can read.
pub(crate) fn of(folder: &Folder) -> Result<Key, CacheError> {
    if let Some(key) = read(folder) {
        return Ok(key);
    }
    let path = &folder.path().join(KEY_FILE);
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).map_err(io::Error::from).map_err(at("draw a key for", folder.path()))?;
    let write = |existing: Existing| -> io::Result<()> {
        let mut draft = folder.draft(0o600)?;
        draft.write_all(&key)?;
        draft.name(OsStr::new(KEY_FILE), existing)
    };
    match write(Existing::Kept) {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match read(folder) {
            // Another process was first.
            Some(key) => Ok(key),
            // It is there and unusable: entries signed with it will be found tampered and made anew.
            None => write(Existing::Replaced).map(|()| key).map_err(at("replace the key", path)),
        },
        Err(error) => Err(at("make the key", path)(error)),
    }
}

/// The key, unless it is missing, no regular file, of another length, open to others, or put there by somebody else, who then knows it.
fn read(folder: &Folder) -> Option<Key> {
    let file = folder.file(KEY_FILE).ok()?;
    let metadata = file.metadata().ok()?;
    if metadata.uid() != assay_files::user() || metadata.permissions().mode() & 0o077 != 0 {
        return None;
    }
    let mut key = Vec::with_capacity(KEY_BYTES + 1);
    // One more than a key has, so that a longer file shows.
    file.take(KEY_BYTES as u64 + 1).read_to_end(&mut key).ok()?;
    key.try_into().ok()
}
