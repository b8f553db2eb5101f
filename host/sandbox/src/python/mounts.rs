//! The trees that a session has, and where they are found.

use super::limits::{SCRATCH_BYTES_MAX, SCRATCH_INODES_MAX};
use assay_model::Time;
use assay_tree::{Limits, Tree, TreeError};

/// Where scratch files go.
pub(crate) const SCRATCH: &str = "/tmp";

/// Index of a mounted tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mount {
    Root,
    Scratch,
    Episode,
}

/// The trees of a session.
pub(crate) struct Mounts {
    pub(super) root: Tree,
    pub(super) scratch: Tree,
    pub(crate) episode: Tree,
    /// Where the episode's tree is, absolute.
    pub(crate) folder: String,
}

impl Mounts {
    pub(crate) fn new(episode: Tree, folder: &str, now: Time) -> Result<Self, TreeError> {
        let small = Limits { bytes_max: 0, inodes_max: 64 };
        let mut root = Tree::new(small);
        root.mkdir_all(SCRATCH.as_bytes(), now)?;
        root.mkdir_all(folder.as_bytes(), now)?;
        let scratch = Tree::new(Limits { bytes_max: SCRATCH_BYTES_MAX, inodes_max: SCRATCH_INODES_MAX });
        Ok(Self { root, scratch, episode, folder: folder.to_owned() })
    }

    /// Nothing to read, and no room to write.
    pub(crate) fn empty() -> Result<Self, TreeError> {
        let mut root = Tree::new(Limits { bytes_max: 0, inodes_max: 4 });
        root.mkdir_all(SCRATCH.as_bytes(), Time(0))?;
        let none = || Tree::new(Limits { bytes_max: 0, inodes_max: 0 });
        Ok(Self { root, scratch: none(), episode: none(), folder: SCRATCH.to_owned() })
    }

    pub(super) fn tree(&self, mount: Mount) -> &Tree {
        match mount {
            Mount::Root => &self.root,
            Mount::Scratch => &self.scratch,
            Mount::Episode => &self.episode,
        }
    }
}
