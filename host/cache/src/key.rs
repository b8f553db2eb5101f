//! A folder's key: drawn once, and used only while nobody else can know it.

use crate::error::{CacheError, at};
use crate::file::{self, Found};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Name of the key's file in its folder.
pub(crate) const KEY_FILE: &str = "key";

/// Bytes of a key.
const KEY_BYTES: usize = 32;

pub(crate) type Key = [u8; KEY_BYTES];

/// Reads the folder's key, or makes one if there is none that only we can read.
pub(crate) fn of(folder: &Path) -> Result<Key, CacheError> {
    let path = &folder.join(KEY_FILE);
    if let Some(key) = read(path) {
        return Ok(key);
    }
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).map_err(io::Error::from).map_err(at("draw a key for", folder))?;
    let write = |replace: bool| -> io::Result<()> {
        // Temporary files are made with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&key)?;
        if replace {
            file.persist(path)?
        } else {
            file.persist_noclobber(path)?
        };
        Ok(())
    };
    match write(false) {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match read(path) {
            // Another process was first.
            Some(key) => Ok(key),
            // It is there and unusable: entries signed with it will be found tampered and made anew.
            None => write(true).map(|()| key).map_err(at("replace the key", path)),
        },
        Err(error) => Err(at("make the key", path)(error)),
    }
}

/// The key, unless it is missing, no regular file, of another length, open to others, or put there by somebody else, who then knows it.
fn read(path: &Path) -> Option<Key> {
    let Found::File(file, metadata) = file::open(path) else { return None };
    let is_ours = metadata.uid() == rustix::process::geteuid().as_raw();
    if !is_ours || metadata.permissions().mode() & 0o077 != 0 {
        return None;
    }
    let mut key = Vec::with_capacity(KEY_BYTES + 1);
    // One more than a key has, so that a longer file shows.
    file.take(KEY_BYTES as u64 + 1).read_to_end(&mut key).ok()?;
    key.try_into().ok()
}
