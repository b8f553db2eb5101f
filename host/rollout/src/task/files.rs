//! A folder of the disk as a [`Tree`].
//!
//! Invariants: symlinks are kept as symlinks and never followed, neither in a repository nor in the place of a task's own files; `.git` is left out, for it holds the future; whatever is not a file, folder or
//! symlink is an error; so is what exceeds a limit.

use std::path::Path;

use assay_files::{Folder, Kind, Links, OpenError};
use assay_model::Time;
use assay_tree::{Limits, Tree, TreeError};

use super::error::LoadError;

/// Bytes of a task's repository, and of all that an episode may make of it: no repository of the data sets has a tenth.
pub const REPOSITORY_BYTES_MAX: u64 = 1 << 30;
/// Files and folders of a task's repository: the largest of the data sets has some 30,000.
pub const FILES_MAX: u64 = 200_000;
/// Bytes of one file of a task: `task.toml`, a patch, a test, an imported task. R2E-Gym's rows hold whole files, of a few megabytes.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// Folders within folders: no repository has a tenth. Each is held open while it is read.
const DEPTH_MAX: usize = 200;

/// An empty tree of a size that fits every repository.
pub(crate) fn empty_tree() -> Tree {
    Tree::new(Limits { bytes_max: REPOSITORY_BYTES_MAX, inodes_max: FILES_MAX })
}

/// Opens a folder that is part of a task, or a task's folder.
pub(super) fn open_folder(path: &Path, links: Links) -> Result<Folder, LoadError> {
    Folder::open(path, links).map_err(|error| not_opened(path, &error))
}

/// The folder with all that is in it.
pub(super) fn read_tree(folder: &Path) -> Result<Tree, LoadError> {
    let mut tree = empty_tree();
    take_folder(&mut tree, &open_folder(folder, Links::Refused)?, b"", DEPTH_MAX)?;
    Ok(tree)
}

/// Takes in what is in a folder that lies at `inside`, which ends in `/` or is empty.
fn take_folder(tree: &mut Tree, folder: &Folder, inside: &[u8], depth: usize) -> Result<(), LoadError> {
    let names = folder.entries(FILES_MAX as usize).map_err(|error| LoadError::new(folder.path(), error))?;
    for name in names.iter().filter(|name| *name != ".git") {
        let mut path = inside.to_vec();
        path.extend_from_slice(name.as_encoded_bytes());
        if take(tree, folder, name.as_ref(), &path)? {
            let disk = folder.path().join(name);
            let Some(depth) = depth.checked_sub(1) else {
                return Err(LoadError::new(&disk, format!("folders nest more than {DEPTH_MAX} deep")));
            };
            path.push(b'/');
            take_folder(tree, &folder.folder(name).map_err(|error| not_opened(&disk, &error))?, &path, depth)?;
        }
    }
    Ok(())
}

/// Takes one entry in, and says whether it is a folder, to be entered.
fn take(tree: &mut Tree, folder: &Folder, name: &Path, path: &[u8]) -> Result<bool, LoadError> {
    let disk = &folder.path().join(name);
    let failed = |error: OpenError| LoadError::new(disk, error);
    let refused =
        |error: TreeError| LoadError::new(disk, error).hint("a task is a small repository: remove generated files");
    let now = Time::default();
    match folder.kind(name).map_err(failed)? {
        Some(Kind::Folder) => tree.mkdir(path, now).map(|()| true).map_err(refused),
        Some(Kind::Link) => {
            let target = folder.link_target(name).map_err(failed)?;
            tree.symlink(&target, path, now).map(|()| false).map_err(refused)
        }
        Some(Kind::File) => {
            let left = REPOSITORY_BYTES_MAX.saturating_sub(tree.used().bytes);
            let bytes = folder.read(name, left).map_err(|error| match error {
                OpenError::TooLarge { .. } => refused(TreeError::NoSpace { max: REPOSITORY_BYTES_MAX, unit: "bytes" }),
                other => failed(other),
            })?;
            let file = folder.look(name).map_err(failed)?;
            tree.put(path, bytes.into(), now).map_err(refused)?;
            tree.set_executable(path, file.is_some_and(|file| file.mode & 0o100 != 0)).map_err(refused)?;
            Ok(false)
        }
        Some(Kind::Other) | None => Err(LoadError::new(disk, "it is neither a file nor a folder nor a symbolic link")),
    }
}

/// A file of at most [`FILE_BYTES_MAX`] bytes; `None` if there is none. A link in its place is an error: it may lead to anybody's file.
pub(super) fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, LoadError> {
    match assay_files::read(path, Links::Refused, FILE_BYTES_MAX) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(OpenError::Missing) => Ok(None),
        Err(error) => Err(not_opened(path, &error)),
    }
}

/// As [`read_bytes`], as text.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, LoadError> {
    let Some(bytes) = read_bytes(path)? else { return Ok(None) };
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| LoadError::new(path, format!("byte {} is not UTF-8", error.utf8_error().valid_up_to())))
}

/// What is there under a name in a folder, if it is a folder or a file.
pub(super) fn part(folder: &Folder, name: &str) -> Result<Option<Kind>, LoadError> {
    let path = folder.path().join(name);
    match folder.kind(name).map_err(|error| LoadError::new(&path, error))? {
        Some(Kind::Link) => Err(not_opened(&path, &OpenError::Link)),
        Some(Kind::Other) => Err(not_opened(&path, &OpenError::NotAFile)),
        other => Ok(other),
    }
}

pub(super) fn not_opened(path: &Path, error: &OpenError) -> LoadError {
    let refused = LoadError::new(path, error);
    match error {
        OpenError::Link => {
            refused.hint("replace it with the file or folder itself: links in a task could point anywhere")
        }
        OpenError::NotAFile => {
            refused.hint("replace it with a regular file: pipes, sockets, devices and folders are not read")
        }
        _ => refused,
    }
}
