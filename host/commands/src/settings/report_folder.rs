//! The folder that a report goes to: made, proven ours and writable before any work is done, and locked as long as the work lasts.

use crate::{Failure, face};
use assay_files::{Folder, Kind, Links};
use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

/// Files of which one stands beside each page.
const RECORDS: [&str; 2] = ["run.json", "observation.json"];

/// Entries of a report's folder that are looked at for what an earlier run has left: more than there are markets.
const LEFTOVERS_MAX: usize = 1_000;

/// Whether a file starts like a record of ours.
fn is_record(folder: &Folder, name: &str) -> bool {
    const OPENING_BYTES: u64 = 200;
    let mut opening = Vec::new();
    let Ok(file) = folder.file(name) else { return false };
    let read = file.take(OPENING_BYTES).read_to_end(&mut opening);
    let opening = String::from_utf8_lossy(&opening);
    read.is_ok()
        && [assay_evaluate::SCHEMA_NAME, assay_evaluate::OBSERVATION_SCHEMA_NAME]
            .iter()
            .any(|name| opening.contains(name))
}

/// The folder for the report: made, and proven writable before any work is done.
#[derive(Debug)]
pub(crate) struct ReportFolder {
    folder: Folder,
    /// Held as long as the run lasts: two runs would overwrite each other's files.
    _lock: File,
}

impl ReportFolder {
    /// Makes the folder and writes a probe into it. Refuses a folder whose index.html is somebody else's.
    pub(crate) fn prepare(path: &Path) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| {
            Failure::usage(format!("failed to write into the report folder {}: {error}", path.display()))
                .hint("choose another one with --out")
        };
        let folder = Folder::make(path).map_err(failed)?;
        let is_there = |name: &str| !matches!(folder.kind(name), Ok(None));
        let is_taken = is_there("index.html") || RECORDS.iter().any(|name| is_there(name));
        if is_taken && !RECORDS.iter().any(|name| is_record(&folder, name)) {
            return Err(Failure::usage(format!(
                "{} contains an index.html or a run.json that was not written by Assay; it was not touched",
                path.display()
            ))
            .hint("choose another folder with --out"));
        }
        folder.draft(0o600).map_err(failed)?;
        let lock = File::from(folder.as_fd().try_clone_to_owned().map_err(failed)?);
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder, _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(Failure::usage(format!("another run is writing into {}", path.display()))
                    .hint("wait for it, or choose another folder with --out"))
            }
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// A folder within this one for a report of its own.
    pub(crate) fn below(&self, name: &str) -> Result<Self, Failure> {
        Self::prepare(&self.folder.path().join(name))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Whether an earlier run left its report here.
    pub(crate) fn holds_report(&self) -> bool {
        matches!(self.folder.kind("run.json"), Ok(Some(Kind::File)))
    }

    /// Tells of reports in folders within this one that are not of `now`, the folders of this run's markets: an earlier run has left them.
    pub(crate) fn tell_leftovers(&self, now: &[String]) {
        let Ok(entries) = std::fs::read_dir(self.folder.path()) else { return };
        let is_old = |name: &String| {
            let record =
                Folder::open(&self.folder.path().join(name), Links::Refused).map(|below| is_record(&below, RECORDS[0]));
            !now.contains(name) && record.unwrap_or(false)
        };
        let names = entries.take(LEFTOVERS_MAX).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut old: Vec<String> = names.filter(is_old).collect();
        old.sort_unstable();
        if !old.is_empty() {
            let list: Vec<String> = old.iter().map(|name| face::visible(name)).collect();
            face::note(&format!(
                "{} also has reports of an earlier run: {}",
                self.folder.path().display(),
                list.join(", ")
            ));
        }
    }

    /// Writes a file whole or not at all.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        let path = self.folder.path().join(name);
        self.folder
            .write(name, bytes, 0o644)
            .map_err(|error| Failure::infrastructure(format!("failed to write {}: {error}", path.display())))?;
        Ok(path)
    }
}
