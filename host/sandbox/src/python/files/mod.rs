//! `wasi:filesystem` over trees in memory: the interpreter's only files.
//!
//! Three trees are mounted: the episode's at a folder of the caller's choice, scratch space at `/tmp`, and at `/` a read-only one that
//! holds the names of these two. A descriptor is a path and the id of what was found there; a path that has come to name something else is
//! a bad descriptor.
//!
//! Invariants: no path leaves its tree, neither by `..` nor by a symlink; every failure is an error code, except content that cannot be
//! loaded, which is infrastructure and ends the cell.

mod descriptor;
mod streams;

use super::bindings::wasi::filesystem::types::{DescriptorFlags, ErrorCode};
use super::mounts::{Mount, Mounts};
use super::stop::Stop;
pub(crate) use streams::{Nothing, Printed};

use assay_tree::{DirectoryEntry, Kind, Stat, Tree, TreeError};

/// An open file or folder.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Descriptor {
    mount: Mount,
    /// Within the mount; begins with `/`.
    path: Vec<u8>,
    id: u64,
    kind: Kind,
    flags: DescriptorFlags,
}

/// A folder that is being listed.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Listing {
    entries: std::vec::IntoIter<DirectoryEntry>,
    /// How many there were at first; they keep their room until the listing ends.
    listed: usize,
}

/// Why a file operation failed.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
#[derive(Debug)]
pub enum FilesError {
    /// The guest is told.
    Code(ErrorCode),
    /// The cell is over.
    Trap(wasmtime::Error),
}

impl Mounts {
    fn tree_mut(&mut self, mount: Mount) -> Result<&mut Tree, FilesError> {
        match mount {
            Mount::Root => Err(ErrorCode::ReadOnly.into()),
            Mount::Scratch => Ok(&mut self.scratch),
            Mount::Episode => Ok(&mut self.episode),
        }
    }

    /// The path of a descriptor that still is what it was.
    fn check(&self, at: &Place) -> Result<Stat, FilesError> {
        match self.tree(at.mount).stat(&at.path) {
            Ok(stat) if stat.id == at.id => Ok(stat),
            Ok(_) | Err(_) => Err(ErrorCode::BadDescriptor.into()),
        }
    }
}

/// What a descriptor stands for, apart from what it may be used for.
#[derive(Clone)]
pub(crate) struct Place {
    mount: Mount,
    path: Vec<u8>,
    id: u64,
}

impl Descriptor {
    fn place(&self) -> Place {
        Place { mount: self.mount, path: self.path.clone(), id: self.id }
    }

    /// The path within the mount that `path` means from here.
    fn join(&self, path: &str) -> Result<Vec<u8>, FilesError> {
        if path.is_empty() {
            return Err(ErrorCode::NoEntry.into());
        }
        if path.starts_with('/') {
            return Err(ErrorCode::NotPermitted.into());
        }
        if self.kind != Kind::Directory {
            return Err(ErrorCode::NotDirectory.into());
        }
        let mut depth = self.path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).count();
        for name in path.split('/') {
            match name {
                "" | "." => {}
                // The tree would stay at its root; here that is something else than what was meant.
                ".." if depth == 0 => return Err(ErrorCode::NotPermitted.into()),
                ".." => depth -= 1,
                _ => depth += 1,
            }
        }
        let mut joined = self.path.clone();
        if !joined.ends_with(b"/") {
            joined.push(b'/');
        }
        joined.extend_from_slice(path.as_bytes());
        Ok(joined)
    }
}

impl From<ErrorCode> for FilesError {
    fn from(code: ErrorCode) -> Self {
        Self::Code(code)
    }
}

impl From<Stop> for FilesError {
    fn from(stop: Stop) -> Self {
        Self::Trap(stop.into())
    }
}

impl From<TreeError> for FilesError {
    fn from(error: TreeError) -> Self {
        match code(&error) {
            Some(code) => Self::Code(code),
            None => Self::Trap(Stop::Infrastructure(error.to_string()).into()),
        }
    }
}

/// The code of an error that the guest made; none for infrastructure.
fn code(error: &TreeError) -> Option<ErrorCode> {
    Some(match error {
        TreeError::NotFound => ErrorCode::NoEntry,
        TreeError::NotADirectory => ErrorCode::NotDirectory,
        TreeError::IsADirectory => ErrorCode::IsDirectory,
        TreeError::Exists => ErrorCode::Exist,
        TreeError::NotEmpty => ErrorCode::NotEmpty,
        TreeError::Loop => ErrorCode::Loop,
        TreeError::Invalid(_) => ErrorCode::Invalid,
        TreeError::NameTooLong { .. } => ErrorCode::NameTooLong,
        TreeError::NoSpace { .. } => ErrorCode::InsufficientSpace,
        TreeError::Blob(_) => return None,
    })
}
