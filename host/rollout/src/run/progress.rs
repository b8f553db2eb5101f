//! Whether runs have fewer results than they ask for, for whoever asks often.
//!
//! Invariants: a run is read again only once its record or its journal has another length or time; what is read is bounded, and of more nothing is said; no
//! lock of ours is held meanwhile.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use assay_files::{Folder, Found, Links};

use super::folder::LOCK_NAME;
use super::journal::episodes_in;
use super::names::{JOURNAL_BYTES_MAX, JOURNAL_NAME, RECORD_NAME};
use super::record::RunRecord;

/// Runs that are remembered.
const REMEMBERED_MAX: usize = 5_000;

/// The files that say how far a run has come, as they were found: its record and its journal.
type Files = [Option<Found>; 2];

/// See the module documentation.
#[derive(Debug, Default)]
pub struct Progress(Mutex<HashMap<PathBuf, (Files, bool)>>);

impl Progress {
    /// Whether the run in a folder has fewer results than it asks for, and no process works on it: it can go on.
    #[must_use]
    pub fn lacks_results(&self, path: &Path) -> bool {
        self.lacks(path).unwrap_or(false)
    }

    fn lacks(&self, path: &Path) -> Option<bool> {
        let folder = Folder::open(path, Links::Refused).ok()?;
        if folder.is_locked(LOCK_NAME) {
            return None;
        }
        let look = |name: &str| folder.look(name).ok();
        let files = [look(RECORD_NAME)?, look(JOURNAL_NAME)?];
        if files.iter().flatten().any(|file| file.bytes > JOURNAL_BYTES_MAX) {
            return None;
        }
        if let Some((_, lacks)) = self.known().get(path).filter(|(then, _)| *then == files) {
            return Some(*lacks);
        }
        let lacks = episodes_in(&folder)? < RunRecord::read_in(&folder).ok()?.planned()?;
        let mut known = self.known();
        if known.len() >= REMEMBERED_MAX {
            known.clear();
        }
        known.insert(path.to_owned(), (files, lacks));
        Some(lacks)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<PathBuf, (Files, bool)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
