//! What can differ between two trees: a file or symlink with its path, and what became of it. Bytes are loaded when they are asked for.

use crate::node::{File, Node};
use crate::{BlobError, Blobs, Bytes, Digest, Kind};

/// A file or symlink, and where its bytes come from.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'t> {
    what: What<'t>,
    blobs: &'t dyn Blobs,
}

#[derive(Clone, Copy)]
enum What<'t> {
    File(&'t File),
    Symlink(&'t [u8]),
}

impl<'t> Leaf<'t> {
    pub(super) fn of(node: &'t Node, blobs: &'t dyn Blobs) -> Option<Self> {
        let what = match node {
            Node::Directory(_) => return None,
            Node::File(file) => What::File(file),
            Node::Symlink(link) => What::Symlink(&link.target),
        };
        Some(Self { what, blobs })
    }

    pub(super) fn kind(self) -> Kind {
        match self.what {
            What::File(file) => file.kind(),
            What::Symlink(_) => Kind::Symlink,
        }
    }

    pub(super) fn size(self) -> u64 {
        match self.what {
            What::File(file) => file.content().size(),
            What::Symlink(target) => target.len() as u64,
        }
    }

    pub(super) fn digest(self) -> Digest {
        match self.what {
            What::File(file) => file.digest(),
            What::Symlink(target) => Digest::of(target),
        }
    }

    pub(super) fn bytes(self) -> Result<Bytes<'t>, BlobError> {
        match self.what {
            What::File(file) => file.content().bytes(self.blobs),
            What::Symlink(target) => Ok(Bytes::borrowed(target)),
        }
    }
}

/// A leaf and its path.
#[derive(Clone)]
pub(super) struct Placed<'t> {
    pub(super) path: Vec<u8>,
    pub(super) leaf: Leaf<'t>,
}

/// One section of a patch.
pub(super) enum Change<'t> {
    Delete(Placed<'t>),
    Add(Placed<'t>),
    Modify { path: Vec<u8>, old: Leaf<'t>, new: Leaf<'t> },
    Rename { old: Placed<'t>, new: Placed<'t>, similarity_percent: u8 },
}

impl Change<'_> {
    /// Sections are sorted by the new path. A file that becomes a symlink is removed and made anew, in this order.
    pub(super) fn order(&self) -> (&[u8], bool) {
        match self {
            Self::Delete(placed) => (&placed.path, false),
            Self::Add(placed) => (&placed.path, true),
            Self::Modify { path, .. } => (path, true),
            Self::Rename { new, .. } => (&new.path, true),
        }
    }
}
