//! The tree, and what one can ask it. What one can do to it is in `change.rs`.

use crate::node::{Directory, File, Found, Node};
use crate::resolve::{Last, resolve};
use crate::{Blobs, Bytes, Digest, Limits, Name, NoBlobs, Stat, TreeError, Usage, Walk};
use assay_model::Time;
use std::sync::Arc;

/// Directories, files and symlinks. Cloning is [`fork`](Self::fork).
#[derive(Clone)]
pub struct Tree {
    pub(crate) root: Arc<Directory>,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) limits: Limits,
    pub(crate) used: Usage,
    pub(crate) next_id: u64,
}

/// One entry of a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirectoryEntry {
    /// Its name.
    pub name: Name,
    /// What it is; symlinks are not followed.
    pub stat: Stat,
}

impl Tree {
    /// An empty tree all of whose contents will be given to it.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self::with_blobs(limits, Arc::new(NoBlobs))
    }

    /// An empty tree that loads [stored](crate::Content::stored) contents from `blobs`.
    #[must_use]
    pub fn with_blobs(limits: Limits, blobs: Arc<dyn Blobs>) -> Self {
        let root = Arc::new(Directory::new(1, Time::default()));
        Self { root, blobs, limits, used: Usage::default(), next_id: 2 }
    }

    /// A tree that is equal now and independent from here on. It takes the time of copying a few words.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// The Merkle root: equal if and only if names, kinds and bytes are. What has not changed since the last call is not hashed again.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.root.digest()
    }

    /// What it holds.
    #[must_use]
    pub const fn used(&self) -> Usage {
        self.used
    }

    /// What it may hold.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// What a path leads to, symlinks followed.
    ///
    /// # Errors
    /// `ENOENT`, `ENOTDIR`, `ELOOP`, `ENAMETOOLONG`, `EINVAL`: the path leads nowhere. So it is with every operation below.
    pub fn stat(&self, path: &[u8]) -> Result<Stat, TreeError> {
        self.find(path, Last::Follow).map(Found::stat)
    }

    /// As [`stat`](Self::stat), but a symlink at the end is itself meant, unless a `/` follows.
    ///
    /// # Errors
    /// As [`stat`](Self::stat).
    pub fn lstat(&self, path: &[u8]) -> Result<Stat, TreeError> {
        self.find(path, Last::of(path)).map(Found::stat)
    }

    /// At most `length` bytes of a file from `offset` on; none beyond its end.
    ///
    /// # Errors
    /// `EISDIR`; `EIO` if the content cannot be loaded.
    pub fn read(&self, path: &[u8], offset: u64, length: usize) -> Result<Vec<u8>, TreeError> {
        Ok(self.find_file(path)?.content().read(&*self.blobs, offset, length)?)
    }

    /// All bytes of a file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_all(&self, path: &[u8]) -> Result<Bytes<'_>, TreeError> {
        Ok(self.find_file(path)?.content().bytes(&*self.blobs)?)
    }

    /// The digest of a file's bytes, without loading them.
    ///
    /// # Errors
    /// `EISDIR`.
    pub fn file_digest(&self, path: &[u8]) -> Result<Digest, TreeError> {
        self.find_file(path).map(|file| file.digest())
    }

    /// A symlink's target.
    ///
    /// # Errors
    /// `EINVAL` if it is not a symlink.
    pub fn readlink(&self, path: &[u8]) -> Result<&[u8], TreeError> {
        match self.find(path, Last::of(path))? {
            Found::Symlink(link) => Ok(&link.target),
            _ => Err(TreeError::Invalid("not a symbolic link")),
        }
    }

    /// How many entries a directory has.
    ///
    /// # Errors
    /// `ENOTDIR`.
    pub fn entry_count(&self, path: &[u8]) -> Result<usize, TreeError> {
        let Found::Directory(directory) = self.find(path, Last::Follow)? else { return Err(TreeError::NotADirectory) };
        Ok(directory.entries.len())
    }

    /// The entries of a directory in byte order.
    ///
    /// # Errors
    /// `ENOTDIR`.
    pub fn readdir(&self, path: &[u8]) -> Result<impl Iterator<Item = DirectoryEntry>, TreeError> {
        let Found::Directory(directory) = self.find(path, Last::Follow)? else { return Err(TreeError::NotADirectory) };
        let entry = |(name, node): (&Name, &Node)| DirectoryEntry { name: name.clone(), stat: node.found().stat() };
        Ok(directory.entries.iter().map(entry))
    }

    /// Everything below a directory, depth first, names in byte order.
    ///
    /// # Errors
    /// `ENOTDIR`.
    pub fn walk(&self, path: &[u8]) -> Result<Walk<'_>, TreeError> {
        match self.find(path, Last::Follow)? {
            Found::Directory(directory) => Ok(Walk::new(directory)),
            _ => Err(TreeError::NotADirectory),
        }
    }

    pub(crate) fn find(&self, path: &[u8], last: Last) -> Result<Found<'_>, TreeError> {
        resolve(&self.root, path, last)?.existing().map(|(_, found)| found)
    }

    pub(crate) fn find_file(&self, path: &[u8]) -> Result<&Arc<File>, TreeError> {
        match self.find(path, Last::Follow)? {
            Found::File(file) => Ok(file),
            _ => Err(TreeError::IsADirectory),
        }
    }
}
