//! Every limit of a tree, by name. The first four are those of Linux, except that depth is limited as well.

/// Bytes of a path, the final zero of C included: a path has at most 4,095.
pub const PATH_MAX: usize = 4096;
/// Bytes of one name.
pub const NAME_MAX: usize = 255;
/// Symbolic links followed in one resolution.
pub const SYMLINKS_FOLLOWED_MAX: u32 = 40;
/// Bytes of the targets of the links followed in one resolution. Linux has no such limit, and forty links of 4,095 bytes each make one look-up
/// ten thousand.
pub const SYMLINK_BYTES_FOLLOWED_MAX: usize = 16 << 10;
/// Directories between the root and an entry, the entry included. Paths alone do not bound depth, since a deep directory can be renamed
/// into another; this does, and so whatever recurses over a tree (hashing, comparing, dropping) has a bounded stack.
pub const DEPTH_MAX: usize = 512;

/// What one tree may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of all files and symlink targets, as `stat` counts them: a hole counts like data.
    pub bytes_max: u64,
    /// Files, directories and symlinks, the root not included.
    pub inodes_max: u64,
}

/// What a tree holds, in the terms of [`Limits`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Bytes of all files and symlink targets.
    pub bytes: u64,
    /// Files, directories and symlinks, the root not included.
    pub inodes: u64,
}
