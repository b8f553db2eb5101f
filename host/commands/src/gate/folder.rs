//! The folder of a batch's verdicts.
//!
//! ```text
//! verdicts/ID.json        one verdict a submission: these files are the truth
//! verdicts/ID.dsse.json   the same, signed, if there is a key
//! verdicts/summary.json   made from them at the end
//! verdicts/.lock          held as long as a process works here
//! verdicts/.seals         a code for each verdict, which only this user on this machine can make
//! ```
//!
//! Invariants: no link is followed, neither as the folder nor in it; a verdict is taken over only with its code; one process at a time; a file appears
//! whole, after its bytes are on the disk, or not at all; a file that is not a verdict of Assay is never overwritten.

use super::seals::{self, SealFile};
use super::submissions::{SIGNED_SUFFIX, SUMMARY_ID};
use super::summary::{SUMMARY_SCHEMA_NAME, Summary};
use crate::{Failure, face};
use assay_files::{Existing, Folder, Kind, OpenError};
use assay_gate::verdict::SCHEMA_NAME;
use assay_gate::{LOCK_NAME, Verdict};
use assay_run::Stop;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Entries of the folder that are looked at for what a killed process left: three a submission, and as many again.
const ENTRIES_MAX: usize = 600_000;
/// How often a waiting process looks.
const WAIT: Duration = Duration::from_millis(100);
/// The longest process id that is shown.
const PID_BYTES_MAX: u64 = 20;
/// A verdict has at most some thousand checks and findings.
const VERDICT_BYTES_MAX: u64 = 64 << 20;

/// A verdict of an earlier start.
pub(super) struct Earlier {
    pub verdict: Verdict,
    /// This user wrote it on this machine, and nobody has changed it since.
    pub is_authentic: bool,
}

/// See the module documentation.
pub(super) struct VerdictFolder {
    folder: Folder,
    seals: SealFile,
    /// The lock is the kernel's, on the open file: it is gone with its process, however that ends.
    _lock: File,
}

impl VerdictFolder {
    /// Makes the folder or takes it over; removes what a killed process left half-done. `keys` is where the key of the codes is.
    pub(super) fn open(path: &Path, keys: &Path, wait: bool, stop: &Stop) -> Result<Self, Failure> {
        let failed = |error: io::Error| {
            Failure::usage(format!("failed to use the folder {}: {error}", path.display()))
                .hint("choose another one with --out")
        };
        let folder = Folder::make(path).map_err(failed)?;
        let in_the_way = |name: &str, error: OpenError| {
            Failure::usage(format!("failed to use {}: {error}; it was not touched", path.join(name).display()))
                .hint("choose another folder with --out, or remove it")
        };
        let mut lock = folder.file_to_change(LOCK_NAME, 0o644).map_err(|error| in_the_way(LOCK_NAME, error))?;
        take(&mut lock, path, wait, stop)?;
        lock.set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| writeln!(lock, "{}", std::process::id()))
            .map_err(failed)?;
        for name in folder.entries(ENTRIES_MAX).map_err(|error| failed(error.into()))? {
            // What only looks like a draft, a folder for example, is somebody else's.
            if assay_files::is_draft(&name) && matches!(folder.kind(&name), Ok(Some(Kind::File))) {
                folder.remove_file(&name).map_err(|error| failed(error.into()))?;
            }
        }
        let seals = SealFile::open(&folder, keys).map_err(|error| in_the_way(seals::NAME, error))?;
        Ok(Self { folder, seals, _lock: lock })
    }

    /// The verdict that is there already.
    pub(super) fn existing(&self, id: &str) -> Result<Option<Earlier>, Failure> {
        let name = file_name(id);
        let not_ours = |name: &str, why: &dyn std::fmt::Display| {
            let path = self.folder.path().join(name);
            Failure::usage(format!("{} is not an Assay verdict ({why}); it was not touched", path.display()))
                .hint("choose another folder with --out, or move it away")
        };
        let signed = signed_name(id);
        match self.folder.kind(&signed) {
            Ok(None | Some(Kind::File)) => {}
            Ok(Some(_)) => return Err(not_ours(&signed, &OpenError::NotAFile)),
            Err(error) => return Err(not_ours(&signed, &error)),
        }
        let bytes = match self.folder.read(&name, VERDICT_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(OpenError::Missing) => return Ok(None),
            Err(error) => return Err(not_ours(&name, &error)),
        };
        // A later release may have other fields; its verdicts are verdicts all the same, to be made anew.
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| not_ours(&name, &error))?;
        if value["schema"]["name"] != SCHEMA_NAME {
            return Err(not_ours(&name, &"another schema"));
        }
        let is_authentic = self.seals.holds(id, &bytes);
        Ok(serde_json::from_value(value).ok().map(|verdict| Earlier { verdict, is_authentic }))
    }

    /// Writes a verdict, after its signed form if there is one; once this returns both survive a power cut.
    pub(super) fn write(&self, id: &str, verdict: &Verdict, signed: Option<&[u8]>) -> Result<(), Failure> {
        let signed_file = signed_name(id);
        match signed {
            Some(bytes) => self.write_bytes(&signed_file, bytes)?,
            // One of an earlier verdict would be about something else.
            None => {
                self.folder.remove_file(&signed_file).map_err(|error| self.unwritable(&signed_file, &error.into()))?;
            }
        }
        let name = file_name(id);
        let bytes = self.json(&name, verdict)?;
        // First, so that whoever sees the verdict finds its code.
        self.seals.add(id, &bytes).map_err(|error| self.unwritable(seals::NAME, &error))?;
        self.write_bytes(&name, &bytes)
    }

    /// Writes the summary. One of somebody else's is an error.
    pub(super) fn write_summary(&self, summary: &Summary) -> Result<PathBuf, Failure> {
        let name = file_name(SUMMARY_ID);
        let path = self.folder.path().join(&name);
        let found = match self.folder.read(&name, VERDICT_BYTES_MAX) {
            Err(OpenError::Missing) => None,
            Ok(bytes) => Some(serde_json::from_slice::<serde_json::Value>(&bytes).unwrap_or_default()),
            Err(_) => Some(serde_json::Value::Null),
        };
        if found.is_some_and(|found| found["schema"]["name"] != SUMMARY_SCHEMA_NAME) {
            return Err(Failure::usage(format!("{} is not an Assay summary; it was not touched", path.display()))
                .hint("choose another folder with --out, or move it away"));
        }
        let bytes = self.json(&name, summary)?;
        self.write_bytes(&name, &bytes).map(|()| path)
    }

    fn json<T: serde::Serialize>(&self, name: &str, value: &T) -> Result<Vec<u8>, Failure> {
        let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| self.unwritable(name, &error.into()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    fn write_bytes(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let write = || -> io::Result<()> {
            let mut draft = self.folder.draft(0o644)?;
            draft.write_all(bytes)?;
            draft.file().sync_all()?;
            draft.name(OsStr::new(name), Existing::Replaced)?;
            self.folder.sync()
        };
        write().map_err(|error| self.unwritable(name, &error))
    }

    fn unwritable(&self, name: &str, error: &io::Error) -> Failure {
        Failure::infrastructure(format!("failed to write {}: {error}", self.folder.path().join(name).display()))
            .hint("verdicts written so far are kept; free some space and repeat the command to resume")
    }
}

fn file_name(id: &str) -> String {
    format!("{id}.json")
}

fn signed_name(id: &str) -> String {
    format!("{id}{SIGNED_SUFFIX}.json")
}

fn take(lock: &mut File, path: &Path, wait: bool, stop: &Stop) -> Result<(), Failure> {
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
        let taken = format!("process {} is already writing verdicts to {}", holder.trim(), path.display());
        if !wait {
            return Err(Failure::usage(taken).hint("wait for it with --wait, or choose another folder with --out"));
        }
        if stop.is_asked() {
            return Err(super::interrupted("interrupted while waiting".to_owned()));
        }
        if !is_said {
            face::note(&format!("{}; waiting for it to finish", face::visible(&taken)));
            is_said = true;
        }
        std::thread::sleep(WAIT);
    }
}
