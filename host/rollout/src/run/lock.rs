//! One process for one folder. A link in the place of the lock is refused: it would have another file emptied.
//!
//! The lock is the kernel's, on the open file: it is gone with its process, however that ends, and so a file that a killed process left
//! behind holds nobody up. The process id in it is for people.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use assay_files::Folder;

/// Held as long as the run lasts; the file is removed with it.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

/// Why there is no lock.
pub(super) enum LockError {
    /// Another process holds it; its id as it stands in the file.
    Taken(String),
    /// The file cannot be made or locked.
    Io(io::Error),
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The longest process id that is shown.
const PID_BYTES_MAX: u64 = 20;

impl Lock {
    /// Takes the lock without waiting.
    pub(super) fn take(folder: &Folder, name: &str) -> Result<Self, LockError> {
        let path = folder.path().join(name);
        loop {
            let mut file = folder.file_to_change(name, 0o644).map_err(io::Error::from)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut pid = String::new();
                    let _ = file.take(PID_BYTES_MAX).read_to_string(&mut pid);
                    return Err(LockError::Taken(pid.trim().to_owned()));
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // The file may have been removed by its holder between opening and locking: a lock on it would exclude nobody.
            let is_current = std::fs::symlink_metadata(&path)
                .is_ok_and(|now| file.metadata().is_ok_and(|ours| (ours.dev(), ours.ino()) == (now.dev(), now.ino())));
            if is_current {
                file.set_len(0)?;
                file.rewind()?;
                writeln!(file, "{}", std::process::id())?;
                return Ok(Self { path, _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is still held, so that nobody else's is.
        let _ = std::fs::remove_file(&self.path);
    }
}
