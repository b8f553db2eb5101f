//! Bytes by digest, in a folder; what was read lately also in memory.
//!
//! Invariants: a blob's name is the digest of its bytes and that is checked whenever it is loaded; one that fails the check is removed, so that the
//! next import writes it again. A file appears under its final name whole or not at all. Memory is bounded by `MEMORY_BYTES`.

use super::{FILE_BYTES_MAX, RepositoryError};
use crate::owner::unfinished_file;
use assay_files::Links;
use assay_tree::{BlobError, Blobs, Digest};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::NamedTempFile;

/// Bytes kept in memory: the hot files of a few dozen repositories, since an episode reads some megabytes of its own.
pub(super) const MEMORY_BYTES: usize = 1 << 28;
/// Larger blobs are read from disk each time, so that one of them does not push out everything else.
const MEMORY_BLOB_BYTES: usize = MEMORY_BYTES / 8;
/// Up to this size a file is hashed in memory and not written at all where it is known; above, it goes to disk as it is hashed.
const SMALL_BYTES: u64 = 1 << 20;
/// Bytes that are moved at once.
const BUFFER_BYTES: usize = 1 << 17;

/// A folder of blobs.
pub struct BlobStore {
    folder: PathBuf,
    unfinished: PathBuf,
    hot: Mutex<Hot>,
}

/// Least recently used goes first.
#[derive(Default)]
struct Hot {
    blobs: HashMap<Digest, (Arc<[u8]>, u64)>,
    by_use: BTreeMap<u64, Digest>,
    bytes: usize,
    uses: u64,
}

impl Hot {
    fn get(&mut self, digest: Digest) -> Option<Arc<[u8]>> {
        self.uses += 1;
        let (bytes, used) = self.blobs.get_mut(&digest)?;
        self.by_use.remove(used);
        *used = self.uses;
        self.by_use.insert(self.uses, digest);
        Some(bytes.clone())
    }

    fn put(&mut self, digest: Digest, bytes: &Arc<[u8]>) {
        if bytes.len() > MEMORY_BLOB_BYTES || self.blobs.contains_key(&digest) {
            return;
        }
        self.uses += 1;
        self.bytes += bytes.len();
        self.blobs.insert(digest, (bytes.clone(), self.uses));
        self.by_use.insert(self.uses, digest);
        while self.bytes > MEMORY_BYTES
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.bytes -= self.blobs.remove(&oldest).map_or(0, |(bytes, _)| bytes.len());
        }
    }
}

impl BlobStore {
    pub(super) fn new(folder: PathBuf, unfinished: PathBuf) -> Self {
        Self { folder, unfinished, hot: Mutex::default() }
    }

    fn path(&self, digest: Digest) -> PathBuf {
        let name = digest.to_string();
        self.folder.join(&name[..2]).join(name)
    }

    /// Whether a blob of this size is there. Its bytes are checked when they are loaded.
    pub(super) fn has(&self, digest: Digest, size: u64) -> bool {
        fs::symlink_metadata(self.path(digest)).is_ok_and(|found| found.is_file() && found.len() == size)
    }

    /// Keeps all that `source` has, at most [`FILE_BYTES_MAX`], and says what it was.
    pub(super) fn keep(&self, mut source: impl Read) -> Result<(Digest, u64), RepositoryError> {
        let failed = |error| RepositoryError::Disk { what: "read a file of the repository".into(), error };
        let mut start = Vec::new();
        source.by_ref().take(SMALL_BYTES).read_to_end(&mut start).map_err(failed)?;
        if (start.len() as u64) < SMALL_BYTES {
            let (digest, size) = (Digest::of(&start), start.len() as u64);
            if !self.has(digest, size) {
                self.write(&self.path(digest), &start)?;
            }
            return Ok((digest, size));
        }
        let mut hasher = blake3::Hasher::new();
        let mut file = self.begin()?;
        let (mut size, mut buffer) = (0, start);
        while !buffer.is_empty() {
            size += buffer.len() as u64;
            if size > FILE_BYTES_MAX {
                return Err(RepositoryError::TooLarge { max: FILE_BYTES_MAX, unit: "bytes in one file" });
            }
            hasher.update(&buffer);
            file.write_all(&buffer).map_err(RepositoryError::disk("write", &self.unfinished))?;
            buffer.clear();
            source.by_ref().take(BUFFER_BYTES as u64).read_to_end(&mut buffer).map_err(failed)?;
        }
        let digest = Digest::from(hasher.finalize());
        if !self.has(digest, size) {
            finish(file, &self.path(digest))?;
        }
        Ok((digest, size))
    }

    /// Writes a file whole or not at all.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), RepositoryError> {
        let mut file = self.begin()?;
        file.write_all(bytes).map_err(RepositoryError::disk("write", path))?;
        finish(file, path)
    }

    fn begin(&self) -> Result<NamedTempFile, RepositoryError> {
        unfinished_file(&self.unfinished).map_err(RepositoryError::disk("make a file in", &self.unfinished))
    }
}

fn finish(file: NamedTempFile, path: &Path) -> Result<(), RepositoryError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(RepositoryError::disk("make", folder))?;
    }
    file.persist(path).map(drop).map_err(|error| RepositoryError::disk("write", path)(error.error))
}

impl Blobs for BlobStore {
    fn load(&self, digest: Digest) -> Result<Arc<[u8]>, BlobError> {
        // A panic elsewhere leaves the map whole enough: the worst is a blob that is not found and read again.
        let hot = || self.hot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = hot().get(digest) {
            return Ok(bytes);
        }
        let path = self.path(digest);
        let failed = |reason: String| BlobError { digest, reason };
        let bytes = assay_files::read(&path, Links::Refused, FILE_BYTES_MAX)
            .map_err(|error| failed(format!("failed to read {}: {error}", path.display())))?;
        if Digest::of(&bytes) != digest {
            // With it gone, the manifest counts as incomplete and the repository is brought in again.
            let _ = fs::remove_file(&path);
            return Err(failed(format!("{} was damaged and has been removed; run again", path.display())));
        }
        let bytes = Arc::from(bytes);
        hot().put(digest, &bytes);
        Ok(bytes)
    }
}
