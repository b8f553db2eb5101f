//! Where a file stands. It is small, so that it can be kept elsewhere than in the file.

use crate::digest::Digest;

/// Where a file stands: enough to go on writing it, and, kept elsewhere, to prove later that its end was not cut off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// Whole lines.
    pub lines: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The hash of the last one.
    pub hash: Digest,
}
