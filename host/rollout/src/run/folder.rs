//! A run's folder: made, taken, brought back to order after a crash. docs/rollouts.md describes it for its readers.
//!
//! Invariants: one process at a time; a run goes on only with the settings that it began with; after [`RunFolder::open`] the folder holds
//! finished episodes and nothing else.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use assay_files::{DRAFT_PREFIX, Folder, Kind, Links};

use super::discarded;
use super::episode::{EpisodeRecord, EpisodeSpec, Finished};
use super::error::FolderError;
use super::journal::{Journal, of_own_agent};
use super::lock::{Lock, LockError};
use super::names::{EPISODES, RECORD_NAME};
use super::record::{RunRecord, settle_record};
use super::recovery::{self, OUTPUTS, Pending, Work};
use super::sink::{Disk, EpisodeFiles};
use crate::sampling::SampleRate;

/// The name of the lock in the folder.
pub(super) const LOCK_NAME: &str = "lock";
/// Entries of the folder itself that are looked at.
const ENTRIES_MAX: usize = 1 << 20;

/// See the module documentation.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    pub(super) journal: Journal,
    pub(super) finished: Finished,
    pub(super) pending: Vec<Pending>,
    changed: Vec<String>,
    pub(super) disk: Disk,
    keep_logs: SampleRate,
    name: Option<String>,
    _lock: Lock,
}

impl RunFolder {
    /// Makes the folder or takes it over, for a run of `plan`. With `retry_unscored`, what has no score yet is tried again.
    ///
    /// # Errors
    /// The folder is in use, somebody else's, of a run with other settings, or cannot be read or written.
    pub fn open(
        path: &Path,
        record: &RunRecord,
        plan: &[EpisodeSpec],
        retry_unscored: bool,
    ) -> Result<Self, FolderError> {
        let named = |path: &Path| {
            let path = path.to_owned();
            move |why| FolderError::Io { path, why }
        };
        refuse_foreign(path)?;
        let folder = Folder::make(path).map_err(named(path))?;
        let lock_path = path.join(LOCK_NAME);
        let lock = Lock::take(&folder, LOCK_NAME).map_err(|error| match error {
            LockError::Taken(pid) => FolderError::Taken { path: path.to_owned(), pid },
            LockError::Io(why) => FolderError::Io { path: lock_path, why },
        })?;
        remove_drafts(&folder).map_err(named(path))?;
        let name = settle_record(&folder, record)?;
        for name in [EPISODES, OUTPUTS] {
            // A link would have what lies elsewhere tidied away.
            folder.make_folder(name, 0o777).map_err(|error| named(&path.join(name))(error.into()))?;
        }
        let (journal, mut finished) = Journal::open(&folder)?;
        folder.sync().map_err(named(path))?;
        let mut left = recovery::look(path, plan, &finished)?;
        of_own_agent(&left.scored, &folder)?;
        let discarded = discarded::settle(&folder, std::mem::take(&mut left.discarded)).map_err(named(path))?;
        left.count(discarded, &finished);
        let recovered = std::mem::take(&mut left.scored);
        journal.append(&recovered)?;
        finished.extend(recovered.into_iter().map(|record| ((record.task.clone(), record.sample), record)));
        left.tidy(path, &finished, record.keep_logs)?;
        let changed = recovery::changed(path, &finished, record.keep_logs);
        let mut pending: Vec<Pending> =
            plan.iter().filter_map(|spec| left.pending(spec, &finished, retry_unscored)).collect();
        // What is paid for comes first.
        pending.sort_by_key(|pending| pending.work == Work::Run);
        Ok(Self {
            path: path.to_owned(),
            journal,
            finished,
            pending,
            changed,
            disk: Disk::new(),
            keep_logs: record.keep_logs,
            name,
            _lock: lock,
        })
    }

    /// Whether a process works on the run in a folder now.
    #[must_use]
    pub fn is_taken(path: &Path) -> bool {
        Folder::open(path, Links::Refused).is_ok_and(|folder| Self::is_taken_in(&folder))
    }

    /// The same of a folder that somebody holds open.
    #[must_use]
    pub fn is_taken_in(folder: &Folder) -> bool {
        folder.is_locked(LOCK_NAME)
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the run is called elsewhere, from its beginning on.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What has finished, by task and sample.
    pub fn finished(&self) -> impl Iterator<Item = &EpisodeRecord> {
        self.finished.values()
    }

    /// What is still to be done, in the order in which it begins: first what lacks only a score.
    #[must_use]
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// Leaves undone for now whatever needs a model.
    pub fn only_grade(&mut self) {
        self.pending.retain(|pending| pending.work == Work::Grade);
    }

    /// The names of finished episodes whose trajectory is gone, or no longer what it was when they ended, or not named. The journal's word on them stands:
    /// they are not run again.
    #[must_use]
    pub fn changed(&self) -> &[String] {
        &self.changed
    }

    /// The lines of the journal that count for episodes, from 1, as far as they are there.
    #[must_use]
    pub fn lines_of(&self, ids: &[String]) -> Vec<usize> {
        self.journal.lines_of(ids)
    }

    /// Removes what those of the finished episodes left that keep no full log. It may fail: the next start removes what is left of them.
    pub(super) fn forget(&self, finished: &[EpisodeRecord]) -> impl FnOnce() + Send + 'static + use<> {
        let forgotten: BTreeSet<String> = finished
            .iter()
            .filter(|record| !record.keeps_full_log(self.keep_logs))
            .map(|record| record.id.clone())
            .collect();
        let path = self.path.clone();
        move || {
            // See above; nothing depends on it.
            let _ = recovery::forget(&path, &forgotten);
        }
    }

    /// The folder for whole outputs of test runs, each under a name that begins with its episode's id and a dot.
    #[must_use]
    pub fn outputs(&self) -> PathBuf {
        self.path.join(OUTPUTS)
    }

    /// The trajectory of a finished episode, where its full log is kept.
    #[must_use]
    pub fn trajectory(&self, record: &EpisodeRecord) -> Option<PathBuf> {
        record.keeps_full_log(self.keep_logs).then(|| self.files(&record.id).trajectory())
    }

    /// Where an episode leaves what it leaves.
    #[must_use]
    pub fn files(&self, id: &str) -> EpisodeFiles {
        EpisodeFiles::new(id, self.path.join(EPISODES), self.disk.clone())
    }
}

/// A folder with files but without a record is somebody else's, and stays as it is.
fn refuse_foreign(path: &Path) -> Result<(), FolderError> {
    let not_ours = |why: &str| FolderError::NotOurs { path: path.to_owned(), why: why.to_owned() };
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Err(not_ours("it is a file")),
        Err(why) => return Err(FolderError::Io { path: path.to_owned(), why }),
    };
    if path.join(RECORD_NAME).exists() {
        return Ok(());
    }
    // A run that was killed as it began may have left these.
    let is_ours = |name: &OsStr| name == LOCK_NAME || is_draft(name);
    if entries.flatten().any(|entry| !is_ours(&entry.file_name())) {
        return Err(not_ours("it contains files, but no run.json"));
    }
    Ok(())
}

/// Removes what killed processes left half-written, of this release and of those before it, whose drafts ended in the process id.
fn remove_drafts(folder: &Folder) -> io::Result<()> {
    for name in folder.entries(ENTRIES_MAX)? {
        if is_draft(&name) && matches!(folder.kind(&name), Ok(Some(Kind::File))) {
            folder.remove_file(&name)?;
        }
    }
    Ok(())
}

fn is_draft(name: &OsStr) -> bool {
    let old = name.to_str().and_then(|name| name.strip_prefix(DRAFT_PREFIX));
    assay_files::is_draft(name)
        || old.is_some_and(|id| !id.is_empty() && id.len() <= 10 && id.bytes().all(|byte| byte.is_ascii_digit()))
}
