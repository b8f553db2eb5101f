//! A folder on disk to entries. Links are not followed; devices, sockets and pipes are left out.

use super::entries::{Counter, Entries, Entry, clean};
use super::{BlobStore, KeepOut, RepositoryError};
use assay_files::Links;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Reads all of it. A folder's depth is bounded by the length of a path.
pub(super) fn read(root: &Path, keep_out: &KeepOut, blobs: &BlobStore) -> Result<Entries, RepositoryError> {
    let (mut entries, mut counter) = (Entries::default(), Counter::default());
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let place = root.join(&folder);
        for item in fs::read_dir(&place).map_err(RepositoryError::disk("list", &place))? {
            counter.count()?;
            let item = item.map_err(RepositoryError::disk("list", &place))?;
            let relative = folder.join(item.file_name());
            let Some(path) = clean(relative.as_os_str().as_bytes(), 0)? else { continue };
            if keep_out.covers(&path) {
                continue;
            }
            let place = item.path();
            let kind = item.file_type().map_err(RepositoryError::disk("look at", &place))?;
            if kind.is_dir() {
                entries.add(path, Entry::Directory)?;
                folders.push(relative);
            } else if kind.is_symlink() {
                let target = fs::read_link(&place).map_err(RepositoryError::disk("read the link", &place))?;
                entries.add(path, Entry::Symlink { target: target.as_os_str().as_bytes().to_vec() })?;
            } else if kind.is_file() {
                let file = assay_files::open(&place, Links::Refused)
                    .map_err(|why| RepositoryError::disk("open", &place)(why.into()))?;
                let mode = file.metadata().map_err(RepositoryError::disk("look at", &place))?.permissions().mode();
                let (digest, size) = blobs.keep(file)?;
                entries.add(path, Entry::File { digest, size, executable: mode & 0o100 != 0 })?;
            }
        }
    }
    Ok(entries)
}
