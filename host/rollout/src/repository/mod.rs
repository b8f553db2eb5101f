//! Repositories as trees: brought in from an image's tar stream, kept by content on disk, loaded when they are read.
//!
//! Invariants: a tree from here holds digests, its bytes lie in one [`BlobStore`] and are verified whenever they are loaded. Nothing that a
//! tar stream says leads out of it: links are kept as text and never followed, `..` and absolute paths are refused. `.git` is never brought
//! in, nor is what the caller keeps out. Files are written beside and renamed, so that a killed process leaves no half of one.
//!
//! ```text
//! FOLDER/blobs/ab/ab12…   bytes by their BLAKE3 digest
//! FOLDER/manifests/…      what a tree consists of, by key (an image's folder); an image's id, by the key of its name
//! FOLDER/unfinished/…     named by the process that writes them; a dead process's are removed at the next start
//! ```
//!
//! Removing the folder is always safe while no run uses it: everything comes back from the images.

mod blobs;
mod entries;
mod manifest;
mod tarball;

pub use blobs::BlobStore;

use crate::owner::remove_abandoned;
use assay_files::{Folder, Links};
use assay_tree::{Digest, Limits, Tree, TreeError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// What a repository may hold. Generous: the largest of the published data sets' images hold some 2 GiB in 100,000 files.
pub const TREE_LIMITS: Limits = Limits { bytes_max: 8 << 30, inodes_max: 1 << 20 };
/// Bytes of one file: it is loaded into memory whole when it is read.
pub const FILE_BYTES_MAX: u64 = 1 << 29;
/// Bytes of one tar stream, `.git` included, which is read over: more is a wrong folder.
pub const TAR_BYTES_MAX: u64 = 1 << 36;
/// Entries of one tar stream, what is left out included.
pub const ENTRIES_MAX: u64 = 1 << 22;

/// Bytes of an image's id: a digest with the name of its algorithm.
const IMAGE_ID_BYTES_MAX: u64 = 1 << 10;
/// Bytes of one manifest: its entries have paths of some hundred bytes.
const MANIFEST_BYTES_MAX: u64 = 1 << 32;

/// What a kept tree is found by: the digest of the words that say where it came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key(Digest);

impl Key {
    /// The key of these words; their order counts, and where one ends.
    #[must_use]
    pub fn of<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut bytes = Vec::new();
        for word in words {
            bytes.extend_from_slice(&(word.len() as u64).to_le_bytes());
            bytes.extend_from_slice(word.as_bytes());
        }
        Self(Digest::of(&bytes))
    }
}

/// Why a repository could not be brought in or found.
#[derive(Debug, Error)]
pub enum RepositoryError {
    /// The disk, or the stream, failed.
    #[error("failed to {what}: {error}")]
    Disk {
        /// What was tried, with the path.
        what: String,
        /// The system's words.
        #[source]
        error: io::Error,
    },
    /// A tar stream or a folder that no honest engine makes.
    #[error("the repository cannot be imported: {why}")]
    Malformed {
        /// What is wrong, with the path.
        why: String,
    },
    /// More than a repository may hold.
    #[error("the repository is too large: at most {max} {unit}")]
    TooLarge {
        /// The limit.
        max: u64,
        /// Of what.
        unit: &'static str,
    },
    /// The tree refused an entry.
    #[error("the repository cannot be imported: {path}: {error}")]
    Tree {
        /// The entry.
        path: String,
        /// Why.
        #[source]
        error: TreeError,
    },
}

impl RepositoryError {
    fn disk<'p>(what: &'p str, path: &'p Path) -> impl FnOnce(io::Error) -> Self + 'p {
        move |error| Self::Disk { what: format!("{what} {}", path.display()), error }
    }

    fn malformed(path: &[u8], why: &str) -> Self {
        Self::Malformed { why: format!("{}: {why}", path.escape_ascii()) }
    }
}

/// Repositories on disk.
#[derive(Clone)]
pub struct RepositoryCache {
    blobs: Arc<BlobStore>,
    manifests: PathBuf,
}

impl RepositoryCache {
    /// Opens a cache, makes it where it is not there, and removes what killed processes left unfinished.
    ///
    /// # Errors
    /// When the folder cannot be made or listed.
    pub fn open(folder: &Path) -> Result<Self, RepositoryError> {
        let manifests = folder.join("manifests");
        let unfinished = folder.join("unfinished");
        // Neither links nor somebody else's: files are removed there.
        let own = Folder::own(folder).map_err(|why| RepositoryError::disk("use", folder)(why.into()))?;
        for name in ["manifests", "unfinished", "blobs"] {
            own.own_folder(name).map_err(|why| RepositoryError::disk("use", &folder.join(name))(why.into()))?;
        }
        remove_abandoned(&unfinished).map_err(RepositoryError::disk("list", &unfinished))?;
        Ok(Self { blobs: Arc::new(BlobStore::new(folder.join("blobs"), unfinished)), manifests })
    }

    /// The tree that was kept under this key, if all of it is still there.
    ///
    /// # Errors
    /// When the disk fails. A damaged manifest is not an error: it is as if there were none.
    pub fn find(&self, key: Key) -> Result<Option<Tree>, RepositoryError> {
        let path = self.manifests.join(key.0.to_string());
        let bytes = match assay_files::read(&path, Links::Refused, MANIFEST_BYTES_MAX).map_err(io::Error::from) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RepositoryError::disk("read", &path)(error)),
        };
        match manifest::decode(&bytes) {
            Some(entries) if entries.contents().all(|(digest, size)| self.blobs.has(digest, size)) => {
                entries.tree(self.blobs.clone()).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Notes which image a name stood for: the id is all that a later [`Self::image_named`] has where there is no engine to ask.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn note_image(&self, name: &str, id: &str) -> Result<(), RepositoryError> {
        if self.image_named(name).as_deref() == Some(id) {
            return Ok(());
        }
        self.blobs.write(&self.name_path(name), id.as_bytes())
    }

    /// Which image the name stood for when an engine was last asked.
    #[must_use]
    pub fn image_named(&self, name: &str) -> Option<String> {
        let id = assay_files::read_text(&self.name_path(name), Links::Refused, IMAGE_ID_BYTES_MAX).ok()?;
        Some(id).filter(|id| !id.is_empty())
    }

    fn name_path(&self, name: &str) -> PathBuf {
        self.manifests.join(Key::of(["image name", name]).0.to_string())
    }

    /// Brings in a tar stream and keeps the tree under `key`. The first `strip` names of each path are left out, as in `tar --strip-components`;
    /// `keep_out` are paths after that, each with all that is below it.
    ///
    /// # Errors
    /// A stream that ends early, leads outside or is too large; a failing disk. Nothing is kept under the key then.
    pub fn import_tar(
        &self,
        key: Key,
        tar: impl Read,
        strip: usize,
        keep_out: &[String],
    ) -> Result<Tree, RepositoryError> {
        let entries = tarball::read(tar, strip, &KeepOut::new(keep_out), &self.blobs)?;
        let tree = entries.tree(self.blobs.clone())?;
        self.blobs.write(&self.manifests.join(key.0.to_string()), &manifest::encode(&entries))?;
        Ok(tree)
    }
}

/// What is not brought in.
struct KeepOut(Vec<Vec<u8>>);

impl KeepOut {
    fn new(paths: &[String]) -> Self {
        let clean = |path: &String| {
            let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
            names.join("/").into_bytes()
        };
        Self(paths.iter().map(clean).filter(|path| !path.is_empty()).collect())
    }

    /// Whether a clean relative path is `.git`, is kept out, or lies below either.
    fn covers(&self, path: &[u8]) -> bool {
        let below =
            |kept: &Vec<u8>| path.strip_prefix(kept.as_slice()).is_some_and(|rest| matches!(rest, [] | [b'/', ..]));
        path.split(|byte| *byte == b'/').any(|name| name == b".git") || self.0.iter().any(below)
    }
}
