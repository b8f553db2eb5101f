//! What a repository consists of, before it is a tree.
//!
//! Invariant: paths are clean (no empty name, `.` or `..`, not absolute) and nothing lies below a file or a symlink.

use super::{BlobStore, ENTRIES_MAX, RepositoryError, TREE_LIMITS};
use assay_model::Time;
use assay_tree::{Content, Digest, NAME_MAX, PATH_MAX, Tree};
use std::collections::BTreeMap;
use std::sync::Arc;

/// When everything was last changed, by a tree's word: 1 January 1980, the first day that a ZIP archive can express. What a disk says would differ
/// between two checkouts of the same files.
const CHANGED: Time = Time(315_532_800_000_000_000);

/// One entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Entry {
    Directory,
    File { digest: Digest, size: u64, executable: bool },
    Symlink { target: Vec<u8> },
}

/// Entries by path: a folder comes before what is in it.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Entries(pub(super) BTreeMap<Vec<u8>, Entry>);

impl Entries {
    /// Adds one; a later one replaces an earlier one of the same path, as in `tar`.
    pub(super) fn add(&mut self, path: Vec<u8>, entry: Entry) -> Result<(), RepositoryError> {
        self.0.insert(path, entry);
        if self.0.len() as u64 > TREE_LIMITS.inodes_max {
            return Err(RepositoryError::TooLarge { max: TREE_LIMITS.inodes_max, unit: "files and folders" });
        }
        Ok(())
    }

    /// The contents of all files.
    pub(super) fn contents(&self) -> impl Iterator<Item = (Digest, u64)> {
        self.0.values().filter_map(|entry| match entry {
            Entry::File { digest, size, .. } => Some((*digest, *size)),
            Entry::Directory | Entry::Symlink { .. } => None,
        })
    }

    /// The tree, its bytes left in the store.
    pub(super) fn tree(&self, blobs: Arc<BlobStore>) -> Result<Tree, RepositoryError> {
        let mut tree = Tree::with_blobs(TREE_LIMITS, blobs);
        for (path, entry) in &self.0 {
            self.check_parents(path)?;
            let refused = |error| RepositoryError::Tree { path: path.escape_ascii().to_string(), error };
            if let Some(end) = path.iter().rposition(|byte| *byte == b'/') {
                tree.mkdir_all(&path[..end], CHANGED).map_err(refused)?;
            }
            match entry {
                Entry::Directory => tree.mkdir_all(path, CHANGED),
                Entry::Symlink { target } => tree.symlink(target, path, CHANGED),
                Entry::File { digest, size, executable } => tree
                    .put(path, Content::stored(*digest, *size), CHANGED)
                    .and_then(|()| if *executable { tree.set_executable(path, true) } else { Ok(()) }),
            }
            .map_err(refused)?;
        }
        Ok(tree)
    }

    /// Nothing may be written through a link or a file; an ancestor that has no entry of its own is a folder.
    fn check_parents(&self, path: &[u8]) -> Result<(), RepositoryError> {
        for (end, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            if matches!(self.0.get(&path[..end]), Some(Entry::File { .. } | Entry::Symlink { .. })) {
                return Err(RepositoryError::malformed(path, "its parent is not a folder"));
            }
        }
        Ok(())
    }
}

/// The clean form of a path without its first `strip` names; none if nothing is left of it.
pub(super) fn clean(path: &[u8], strip: usize) -> Result<Option<Vec<u8>>, RepositoryError> {
    if path.len() >= PATH_MAX || path.contains(&0) || path.first() == Some(&b'/') {
        return Err(RepositoryError::malformed(path, "it is absolute, too long or contains a zero byte"));
    }
    let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b".")).collect();
    if names.iter().any(|name| *name == b".." || name.len() > NAME_MAX) {
        return Err(RepositoryError::malformed(path, "it leads outside, or a name in it is too long"));
    }
    let rest = names.get(strip..).unwrap_or_default();
    Ok((!rest.is_empty()).then(|| rest.join(&b'/')))
}

/// Counts entries, whatever becomes of them.
#[derive(Default)]
pub(super) struct Counter(u64);

impl Counter {
    pub(super) fn count(&mut self) -> Result<(), RepositoryError> {
        self.0 += 1;
        if self.0 > ENTRIES_MAX {
            return Err(RepositoryError::TooLarge { max: ENTRIES_MAX, unit: "entries, including those left out" });
        }
        Ok(())
    }
}
