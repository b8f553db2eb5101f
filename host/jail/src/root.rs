//! A file tree in which only the named paths exist.
//!
//! Landlock decides what may be opened; this decides what is there at all. It also closes what Landlock leaves open: sockets that can
//! be connected to by path, and names and sizes of files that cannot be read.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, mount_remount, unmount,
};
use rustix::process::{chdir, pivot_root};

use crate::PRIVATE_WRITABLE;

/// Device files that programs take for granted. Only the first can be written.
pub(crate) const DEVICES: [&str; 3] = ["/dev/null", "/dev/urandom", "/dev/zero"];

/// Size of the file system that holds the mount points. Nothing but empty folders and files lies in it.
const ROOT_OPTIONS: &std::ffi::CStr = c"size=1m,mode=755";

/// Makes a tree of the named paths on the folder `root` and moves into it; the writable folder lies at [`PRIVATE_WRITABLE`]. The caller has a mount namespace of its own. On failure the
/// process still sees the whole tree.
pub(crate) fn enter(root: &Path, read_only: &[PathBuf], writable: &Path) -> io::Result<()> {
    // Nothing mounted from here on is seen outside.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    mount("tmpfs", root, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, ROOT_OPTIONS)?;
    for path in read_only {
        let shown = show(root, path, path)?;
        // Fails where flags of the original mount are locked; Landlock forbids writing all the same.
        let _ =
            shown.map(|shown| mount_remount(&shown, MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID, c""));
    }
    for path in DEVICES.map(Path::new) {
        show(root, path, path)?;
    }
    show(root, writable, Path::new(PRIVATE_WRITABLE))?;
    chdir(root)?;
    pivot_root(".", ".")?;
    // The old tree is now stacked on the new one, at the same place.
    unmount(".", UnmountFlags::DETACH)?;
    Ok(chdir("/")?)
}

/// Mounts a path at the place `at` under `root`. A path that does not exist is passed over.
fn show(root: &Path, path: &Path, at: &Path) -> io::Result<Option<PathBuf>> {
    let Ok(metadata) = fs::metadata(path) else { return Ok(None) };
    let target = root.join(at.strip_prefix("/").map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?);
    if metadata.is_dir() {
        fs::create_dir_all(&target)?;
    } else {
        fs::create_dir_all(target.parent().unwrap_or(root))?;
        File::create(&target)?;
    }
    mount_bind_recursive(path, &target)?;
    Ok(Some(target))
}
