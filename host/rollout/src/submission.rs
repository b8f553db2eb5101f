//! What an episode hands in: its files, and what they change as a patch.
//!
//! Invariant: no patch is made from more than [`SUBMISSION_BYTES_MAX`], whatever a cell wrote.

use std::sync::Arc;

use assay_tree::patch::{changed_bytes, diff};
use assay_tree::{BlobError, Tree};

/// Bytes of all files that a submission changes, before and after together: a thousand times what a fix takes, and a patch of this size is made in
/// seconds. A file of a gigabyte costs a cell nothing where it is a hole.
pub const SUBMISSION_BYTES_MAX: u64 = 64 << 20;

/// What is handed in.
#[derive(Clone)]
pub struct Submission {
    /// The files.
    pub tree: Tree,
    /// What they change, as git would write it, where that is known already.
    pub patch: Option<Arc<[u8]>>,
}

/// Why there is no patch.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NoPatch {
    /// The files' doing.
    #[error("the changed files have {bytes} bytes; the maximum is {SUBMISSION_BYTES_MAX}")]
    TooLarge { bytes: u64 },
    /// The store's.
    #[error("the changed files cannot be read: {0}")]
    Blob(#[from] BlobError),
}

/// What differs between two trees, as git would write it; empty where nothing does. Takes seconds at worst.
pub(crate) fn patch(base: &Tree, tree: &Tree) -> Result<Vec<u8>, NoPatch> {
    match changed_bytes(base, tree) {
        bytes if bytes > SUBMISSION_BYTES_MAX => Err(NoPatch::TooLarge { bytes }),
        _ => Ok(diff(base, tree)?),
    }
}
