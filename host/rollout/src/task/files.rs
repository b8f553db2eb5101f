//! A folder of the disk as a [`Tree`].
//!
//! Invariants: symlinks are kept as symlinks and never followed; `.git` is left out, for it holds the future; whatever is no file, folder or
//! symlink is an error; so is what exceeds a limit.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use assay_model::Time;
use assay_world::{Limits, Tree, TreeError};

use super::error::LoadError;

/// Bytes of a task's repository, and of all that an episode may make of it: no repository of the data sets has a tenth.
pub const REPOSITORY_BYTES_MAX: u64 = 1 << 30;
/// Files and folders of a task's repository: the largest of the data sets has some 30,000.
pub const FILES_MAX: u64 = 200_000;
/// Bytes of one file of a task: `task.toml`, a patch, a test, an imported task. R2E-Gym's rows hold whole files, of a few megabytes.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// An empty tree of a size that fits every repository.
pub(crate) fn empty_tree() -> Tree {
    Tree::new(Limits { bytes_max: REPOSITORY_BYTES_MAX, inodes_max: FILES_MAX })
}

/// The folder with all that is in it.
pub(super) fn read_tree(folder: &Path) -> Result<Tree, LoadError> {
    let mut tree = empty_tree();
    let mut open: Vec<(PathBuf, Vec<u8>)> = vec![(folder.to_owned(), Vec::new())];
    while let Some((disk, inside)) = open.pop() {
        for entry in fs::read_dir(&disk).map_err(|error| LoadError::new(&disk, error))? {
            let entry = entry.map_err(|error| LoadError::new(&disk, error))?;
            if entry.file_name() == OsStr::new(".git") {
                continue;
            }
            let mut path = inside.clone();
            path.extend_from_slice(entry.file_name().as_bytes());
            if let Some(subfolder) = take(&mut tree, &entry.path(), &path)? {
                path.push(b'/');
                open.push((subfolder, path));
            }
        }
    }
    Ok(tree)
}

/// Takes one entry in; a folder is made, and given back to be entered.
fn take(tree: &mut Tree, disk: &Path, path: &[u8]) -> Result<Option<PathBuf>, LoadError> {
    let failed = |error: &dyn std::fmt::Display| LoadError::new(disk, error);
    let refused = |error: TreeError| {
        LoadError::new(disk, error).hint("a task is a small repository: take what is made out of it")
    };
    let metadata = disk.symlink_metadata().map_err(|error| failed(&error))?;
    let now = Time::default();
    if metadata.is_dir() {
        tree.mkdir(path, now).map_err(refused)?;
        return Ok(Some(disk.to_owned()));
    }
    if metadata.is_symlink() {
        let target = fs::read_link(disk).map_err(|error| failed(&error))?;
        tree.symlink(target.as_os_str().as_bytes(), path, now).map_err(refused)?;
        return Ok(None);
    }
    if !metadata.is_file() {
        return Err(failed(&"it is neither a file nor a folder nor a symbolic link"));
    }
    if tree.used().bytes.saturating_add(metadata.len()) > REPOSITORY_BYTES_MAX {
        return Err(refused(TreeError::NoSpace { max: REPOSITORY_BYTES_MAX, unit: "bytes" }));
    }
    let bytes = fs::read(disk).map_err(|error| failed(&error))?;
    tree.put(path, bytes.into(), now).map_err(refused)?;
    tree.set_executable(path, metadata.permissions().mode() & 0o100 != 0).map_err(refused)?;
    Ok(None)
}

/// A file of at most [`FILE_BYTES_MAX`] bytes; `None` if there is none.
pub(super) fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, LoadError> {
    let failed = |error: &dyn std::fmt::Display| LoadError::new(path, error);
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    if !metadata.is_file() {
        return Err(failed(&"it is no file"));
    }
    if metadata.len() > FILE_BYTES_MAX {
        return Err(failed(&format!("it has {} bytes, at most {FILE_BYTES_MAX}", metadata.len())));
    }
    fs::read(path).map(Some).map_err(|error| failed(&error))
}

/// As [`read_bytes`], as text.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, LoadError> {
    let Some(bytes) = read_bytes(path)? else { return Ok(None) };
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| LoadError::new(path, format!("byte {} is no UTF-8", error.utf8_error().valid_up_to())))
}
