//! A tar stream to entries. The stream is an engine's, of an image that someone else made: nothing in it is believed.

use super::entries::{Counter, Entries, Entry, clean};
use super::{BlobStore, FILE_BYTES_MAX, KeepOut, RepositoryError, TAR_BYTES_MAX};
use std::collections::BTreeMap;
use std::io::{self, Read};
use tar::EntryType;

/// Reads a whole stream. Hard links become files of their own; devices, sockets and pipes are left out.
pub(super) fn read(
    tar: impl Read,
    strip: usize,
    keep_out: &KeepOut,
    blobs: &BlobStore,
) -> Result<Entries, RepositoryError> {
    let mut archive = tar::Archive::new(Bounded { source: tar, left: TAR_BYTES_MAX });
    let (mut entries, mut counter) = (Entries::default(), Counter::default());
    // A link may come before the file that it leads to only in a stream that no engine makes, but it costs nothing to allow it.
    let mut links: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    for item in archive.entries().map_err(broken)? {
        counter.count()?;
        let mut item = item.map_err(broken)?;
        let Some(path) = clean(&item.path_bytes(), strip)? else { continue };
        if keep_out.covers(&path) {
            continue;
        }
        match item.header().entry_type() {
            EntryType::Directory => entries.add(path, Entry::Directory)?,
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                if item.size() > FILE_BYTES_MAX {
                    return Err(RepositoryError::TooLarge { max: FILE_BYTES_MAX, unit: "bytes in one file" });
                }
                let executable = item.header().mode().map_err(broken)? & 0o100 != 0;
                let (digest, size) = blobs.keep(&mut item)?;
                entries.add(path, Entry::File { digest, size, executable })?;
            }
            EntryType::Symlink => {
                let target = item.link_name_bytes().unwrap_or_default().into_owned();
                entries.add(path, Entry::Symlink { target })?;
            }
            EntryType::Link => {
                let target = clean(&item.link_name_bytes().unwrap_or_default(), strip)?;
                links.insert(path, target.unwrap_or_default());
            }
            _ => {}
        }
    }
    for (path, target) in links {
        // What is kept out is not brought in under another name.
        if keep_out.covers(&target) {
            continue;
        }
        match entries.0.get(&target) {
            Some(file @ Entry::File { .. }) => entries.add(path, file.clone())?,
            _ => {
                return Err(RepositoryError::malformed(
                    &path,
                    "it is a hard link to something that is not a file of the repository",
                ));
            }
        }
    }
    Ok(entries)
}

fn broken(error: io::Error) -> RepositoryError {
    RepositoryError::Disk { what: "read the repository's tar stream".into(), error }
}

/// A stream that fails beyond its limit.
struct Bounded<R> {
    source: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.left = self
            .left
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other(format!("it is too long: at most {TAR_BYTES_MAX} bytes")))?;
        Ok(read)
    }
}
