//! The folder of a batch's verdicts.
//!
//! ```text
//! verdicts/ID.json        one verdict a submission: these files are the truth
//! verdicts/ID.dsse.json   the same, signed, if there is a key
//! verdicts/summary.json   made from them at the end
//! verdicts/.lock          held as long as a process works here
//! ```
//!
//! Invariants: one process at a time; a file appears whole, after its bytes are on the disk, or not at all; a file that is no verdict of
//! Assay is never overwritten.

use crate::exit::Failure;
use crate::ui;
use assay_gate::Verdict;
use assay_gate::verdict::SCHEMA_NAME;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What the id of a signed verdict ends in; of no submission.
pub(super) const SIGNED_SUFFIX: &str = ".dsse";
/// What no submission is called.
pub(super) const SUMMARY_ID: &str = "summary";
const LOCK_NAME: &str = ".lock";
/// What a file is called until it is whole. The next start removes whatever is called so.
const DRAFT_PREFIX: &str = ".assay-draft-";
/// How often a waiting process looks.
const WAIT: Duration = Duration::from_millis(100);
/// The longest process id that is shown.
const PID_BYTES_MAX: u64 = 20;
/// A verdict has at most some thousand checks and findings.
const VERDICT_BYTES_MAX: u64 = 64 << 20;

/// See the module documentation.
pub(super) struct VerdictFolder {
    path: PathBuf,
    /// The lock is the kernel's, on the open file: it is gone with its process, however that ends.
    _lock: File,
}

impl VerdictFolder {
    /// Makes the folder or takes it over; removes what a killed process left half-done.
    pub(super) fn open(path: &Path, wait: bool, stop: &AtomicBool) -> Result<Self, Failure> {
        let failed = |error: io::Error| {
            Failure::usage(format!("failed to use the folder {}: {error}", path.display()))
                .hint("choose another one with --out")
        };
        fs::create_dir_all(path).map_err(failed)?;
        let mut lock = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join(LOCK_NAME))
            .map_err(failed)?;
        take(&mut lock, path, wait, stop)?;
        lock.set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| writeln!(lock, "{}", std::process::id()))
            .map_err(failed)?;
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_name().to_string_lossy().starts_with(DRAFT_PREFIX) {
                fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// The verdict that is there already.
    pub(super) fn existing(&self, id: &str) -> Result<Option<Verdict>, Failure> {
        let path = self.file(id);
        let not_ours = |why: &str| {
            Failure::usage(format!("{} is no verdict of Assay ({why}); it was not touched", path.display()))
                .hint("choose another folder with --out, or move it away")
        };
        let metadata = match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(not_ours(&error.to_string())),
            Ok(metadata) => metadata,
        };
        if !metadata.is_file() || metadata.len() > VERDICT_BYTES_MAX {
            return Err(not_ours("no regular file of its size"));
        }
        let bytes = fs::read(&path).map_err(|error| not_ours(&error.to_string()))?;
        // A later release may have other fields; its verdicts are verdicts all the same, to be made anew.
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| not_ours(&error.to_string()))?;
        if value["schema"]["name"] != SCHEMA_NAME {
            return Err(not_ours("another schema"));
        }
        Ok(serde_json::from_value(value).ok())
    }

    /// Writes a verdict, after its signed form if there is one; once this returns both survive a power cut.
    pub(super) fn write(&self, id: &str, verdict: &Verdict, signed: Option<&[u8]>) -> Result<(), Failure> {
        let signed_file = self.path.join(format!("{id}{SIGNED_SUFFIX}.json"));
        match signed {
            Some(bytes) => self.write_bytes(&signed_file, bytes)?,
            // One of an earlier verdict would be about something else.
            None => match fs::remove_file(&signed_file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritable(&signed_file, &error)),
                _ => {}
            },
        }
        self.write_json(&self.file(id), verdict)
    }

    /// Writes the summary. One of somebody else's is an error.
    pub(super) fn write_summary(&self, summary: &super::batch::Summary) -> Result<PathBuf, Failure> {
        let path = self.file(SUMMARY_ID);
        if path.exists() {
            let bytes = fs::read(&path).unwrap_or_default();
            let found: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
            if found["schema"]["name"] != super::batch::SUMMARY_SCHEMA_NAME {
                return Err(Failure::usage(format!("{} is no summary of Assay; it was not touched", path.display()))
                    .hint("choose another folder with --out, or move it away"));
            }
        }
        self.write_json(&path, summary).map(|()| path)
    }

    fn write_json<T: serde::Serialize>(&self, path: &Path, value: &T) -> Result<(), Failure> {
        let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| unwritable(path, &error.into()))?;
        bytes.push(b'\n');
        self.write_bytes(path, &bytes)
    }

    fn write_bytes(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let write = || -> io::Result<()> {
            let mut file = tempfile::Builder::new()
                .prefix(DRAFT_PREFIX)
                .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
                .tempfile_in(&self.path)?;
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            file.persist(path)?;
            File::open(&self.path)?.sync_all()
        };
        write().map_err(|error| unwritable(path, &error))
    }

    fn file(&self, id: &str) -> PathBuf {
        self.path.join(format!("{id}.json"))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::infrastructure(format!("failed to write {}: {error}", path.display()))
        .hint("verdicts that are written stay; make room and run the same command again: it goes on where it was")
}

fn take(lock: &mut File, path: &Path, wait: bool, stop: &AtomicBool) -> Result<(), Failure> {
    let mut is_said = false;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => {
                return Err(Failure::infrastructure(format!("failed to lock {}: {error}", path.display())));
            }
            Err(TryLockError::WouldBlock) => {}
        }
        let mut holder = String::new();
        // What cannot be read is not shown.
        let _ = lock.rewind().and_then(|()| io::Read::take(&mut *lock, PID_BYTES_MAX).read_to_string(&mut holder));
        let taken = format!("process {} is gating into {}", holder.trim(), path.display());
        if !wait {
            return Err(Failure::usage(taken).hint("wait for it with --wait, or choose another folder with --out"));
        }
        if stop.load(Ordering::Relaxed) {
            return Err(super::examine::interrupted("interrupted while waiting".to_owned()));
        }
        if !is_said {
            ui::note(&format!("{}; waiting for it to end", ui::visible(&taken)));
            is_said = true;
        }
        std::thread::sleep(WAIT);
    }
}
