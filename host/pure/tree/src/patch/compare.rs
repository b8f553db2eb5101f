//! What differs between two trees, file by file. Directories that the trees share are not entered.

use super::difference::{Change, Leaf, Placed};
use super::rename;
use crate::node::{Directory, Node};
use crate::{BlobError, Kind, Name, Tree};
use std::sync::Arc;

/// A path at which two trees differ, and what each has there: a file, a symlink, or none. A directory counts as none.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ChangedPath {
    /// The path. No symlink is on the way to it in a tree that has a leaf there.
    pub path: Vec<u8>,
    /// What the first tree has.
    pub old: Option<Kind>,
    /// What the second tree has.
    pub new: Option<Kind>,
}

/// Every path at which the trees have different files or symlinks, in byte order, each once; renames are not looked for. No content is
/// loaded.
#[must_use]
pub fn changed_paths(base: &Tree, target: &Tree) -> Vec<ChangedPath> {
    let found = Comparison::of(base, target);
    let side = |placed: Placed<'_>| (placed.path, placed.leaf.kind());
    let deleted = found.deleted.into_iter().map(side).map(|(path, kind)| (path, Some(kind), None));
    let mut sides: Vec<_> =
        deleted.chain(found.added.into_iter().map(side).map(|(path, kind)| (path, None, Some(kind)))).collect();
    for change in found.changes {
        match change {
            Change::Delete(old) => sides.push((old.path, Some(old.leaf.kind()), None)),
            Change::Add(new) => sides.push((new.path, None, Some(new.leaf.kind()))),
            Change::Modify { path, old, new } => sides.push((path, Some(old.kind()), Some(new.kind()))),
            Change::Rename { .. } => unreachable!("renames have not been looked for"),
        }
    }
    sides.sort();
    let mut paths: Vec<ChangedPath> = Vec::with_capacity(sides.len());
    for (path, old, new) in sides {
        match paths.last_mut().filter(|last| last.path == path) {
            Some(last) => (last.old, last.new) = (last.old.or(old), last.new.or(new)),
            None => paths.push(ChangedPath { path, old, new }),
        }
    }
    paths
}

/// Bytes of all files and symlinks that differ, before and after together, as `stat` counts them, and of their paths: what a patch is made
/// from. No content is loaded and nothing kept, so this may be asked of any two trees.
#[must_use]
pub fn changed_bytes(base: &Tree, target: &Tree) -> u64 {
    Comparison::run(base, target, false).bytes
}

/// All changes in the order of a patch.
pub(super) fn changes<'t>(base: &'t Tree, target: &'t Tree) -> Result<Vec<Change<'t>>, BlobError> {
    let found = Comparison::of(base, target);
    let mut changes = found.changes;
    rename::pair(found.deleted, found.added, &mut changes)?;
    changes.sort_by(|one, other| one.order().cmp(&other.order()));
    Ok(changes)
}

struct Comparison<'t> {
    base: &'t Tree,
    target: &'t Tree,
    path: Vec<u8>,
    deleted: Vec<Placed<'t>>,
    added: Vec<Placed<'t>>,
    changes: Vec<Change<'t>>,
    /// Of what differs.
    bytes: u64,
    /// Whether changes are kept, each with its path, or only counted: paths may be long and many.
    keeps: bool,
}

impl<'t> Comparison<'t> {
    fn of(base: &'t Tree, target: &'t Tree) -> Self {
        Self::run(base, target, true)
    }

    fn run(base: &'t Tree, target: &'t Tree, keeps: bool) -> Self {
        let (path, deleted, added, changes) = Default::default();
        let mut found = Self { base, target, path, deleted, added, changes, bytes: 0, keeps };
        if !Arc::ptr_eq(&base.root, &target.root) {
            found.directories(Some(&base.root), Some(&target.root));
        }
        found
    }

    fn directories(&mut self, old: Option<&'t Directory>, new: Option<&'t Directory>) {
        let mut olds = old.into_iter().flat_map(|directory| &directory.entries).peekable();
        let mut news = new.into_iter().flat_map(|directory| &directory.entries).peekable();
        loop {
            let (old, new): (Option<(&Name, _)>, Option<(&Name, _)>) = (olds.peek().copied(), news.peek().copied());
            let Some(name) = old.iter().chain(new.iter()).map(|(name, _)| *name).min() else { return };
            let old = olds.next_if(|(found, _)| *found == name).map(|(_, node)| node);
            let new = news.next_if(|(found, _)| *found == name).map(|(_, node)| node);
            let length = self.path.len();
            self.path.extend_from_slice(name.as_bytes());
            self.nodes(old, new);
            self.path.truncate(length);
        }
    }

    fn nodes(&mut self, old: Option<&'t Node>, new: Option<&'t Node>) {
        match (old, new) {
            (Some(Node::Directory(old)), Some(Node::Directory(new))) if Arc::ptr_eq(old, new) => return,
            (Some(Node::File(old)), Some(Node::File(new))) if Arc::ptr_eq(old, new) => return,
            _ => {}
        }
        let leaves = (
            old.and_then(|node| Leaf::of(node, &*self.base.blobs)),
            new.and_then(|node| Leaf::of(node, &*self.target.blobs)),
        );
        self.leaves(leaves.0, leaves.1);
        let below = [old, new].map(|node| match node {
            Some(Node::Directory(directory)) => Some(&**directory),
            _ => None,
        });
        if below.iter().any(Option::is_some) {
            self.path.push(b'/');
            self.directories(below[0], below[1]);
        }
    }

    fn leaves(&mut self, old: Option<Leaf<'t>>, new: Option<Leaf<'t>>) {
        let same = match (old, new) {
            (Some(old), Some(new)) => {
                old.kind() == new.kind() && old.size() == new.size() && old.digest() == new.digest()
            }
            (None, None) => true,
            _ => false,
        };
        if same {
            return;
        }
        let sizes = [old, new].into_iter().flatten().map(|leaf| leaf.size().saturating_add(self.path.len() as u64));
        self.bytes = sizes.fold(self.bytes, u64::saturating_add);
        if !self.keeps {
            return;
        }
        let placed = |leaf| Placed { path: self.path.clone(), leaf };
        match (old, new) {
            (Some(old), Some(new)) if old.kind().is_file() == new.kind().is_file() => {
                self.changes.push(Change::Modify { path: self.path.clone(), old, new });
            }
            (Some(old), Some(new)) => {
                self.changes.extend([Change::Delete(placed(old)), Change::Add(placed(new))]);
            }
            (Some(old), None) => self.deleted.push(placed(old)),
            (None, Some(new)) => self.added.push(placed(new)),
            (None, None) => {}
        }
    }
}
