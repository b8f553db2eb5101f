//! A run's folder: made, taken, brought back to order after a crash. docs/rollouts.md describes it for its readers.
//!
//! Invariants: one process at a time; a run goes on only with the settings that it began with; after [`RunFolder::open`] the folder holds
//! finished episodes and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};

use assay_files::{DRAFT_PREFIX, Existing, Folder, Kind, Links, OpenError};
use assay_trace::{Digest, still_holds};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::episode::{EpisodeRecord, EpisodeSpec};
use super::journal::{Finished, Journal, JournalError};
use super::lock::{Lock, LockError};
use super::sink::{Disk, EpisodeFiles};
use crate::sampling::SampleRate;

const RECORD_NAME: &str = "run.json";
const LOCK_NAME: &str = "lock";
const EPISODES: &str = "episodes";
const OUTPUTS: &str = "outputs";
/// Entries of the folder itself that are looked at.
const ENTRIES_MAX: usize = 1 << 20;
const FORMAT: &str = "assay-rollout-run";
/// The largest `run.json`: a line for each task.
const RECORD_BYTES_MAX: u64 = 256 << 20;

/// What a run is: written when it begins, compared when it goes on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    format: String,
    /// Everything that the results depend on, by name: the model, limits, seed, samples, versions.
    pub settings: BTreeMap<String, Value>,
    /// Which solved episodes keep their full log.
    #[serde(default)]
    keep_logs: SampleRate,
    /// What the run is called elsewhere. No result depends on it: the name that a run began with stays, and runs of before it have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The tasks by id, with a digest of each.
    pub tasks: BTreeMap<String, String>,
}

impl RunRecord {
    /// A run of these tasks with these settings.
    #[must_use]
    pub fn new(settings: BTreeMap<String, Value>, tasks: BTreeMap<String, String>) -> Self {
        Self { format: FORMAT.to_owned(), settings, keep_logs: SampleRate::ALL, name: None, tasks }
    }

    /// The same run, in which only a share of the solved episodes without flags keeps its full log.
    #[must_use]
    pub fn keeping(self, keep_logs: SampleRate) -> Self {
        Self { keep_logs, ..self }
    }

    /// The same run, under a name by which it is known elsewhere if it begins now.
    #[must_use]
    pub fn named(self, name: String) -> Self {
        Self { name: Some(name), ..self }
    }

    /// The first thing in which a run that is to go on differs from how it began.
    fn difference(&self, now: &Self) -> Option<FolderError> {
        let differs = |name: &str, was: String, now: String| FolderError::Differs { name: name.to_owned(), was, now };
        let shown = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
        for name in self.settings.keys().chain(now.settings.keys()) {
            let (was, is) = (self.settings.get(name), now.settings.get(name));
            if was != is {
                return Some(differs(name, shown(was), shown(is)));
            }
        }
        if self.keep_logs != now.keep_logs {
            return Some(differs("keep_logs", self.keep_logs.to_string(), now.keep_logs.to_string()));
        }
        for id in self.tasks.keys().chain(now.tasks.keys()) {
            let name = format!("task {id}");
            match (self.tasks.get(id), now.tasks.get(id)) {
                (Some(_), None) => return Some(differs(&name, "there".to_owned(), "not there".to_owned())),
                (None, Some(_)) => return Some(differs(&name, "not there".to_owned(), "there".to_owned())),
                (Some(was), Some(is)) if was != is => return Some(differs(&name, was.clone(), is.clone())),
                _ => {}
            }
        }
        None
    }
}

/// Why a folder cannot be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// Another process works in it.
    #[error("another run is working in {} (process {pid})", path.display())]
    Taken {
        /// The folder.
        path: PathBuf,
        /// The process, as it wrote it down.
        pid: String,
    },
    /// It holds something else.
    #[error("{} is not an Assay run: {why}", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
        /// How that is known.
        why: String,
    },
    /// The run in it began with other settings.
    #[error("the run was started with other settings: {name} was {was}, now it is {now}")]
    Differs {
        /// The setting.
        name: String,
        /// What it was.
        was: String,
        /// What it is.
        now: String,
    },
    /// It cannot be read or written.
    #[error("failed to use {}: {why}", path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// What happened.
        why: io::Error,
    },
    /// Its journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl FolderError {
    /// What a user can do about it.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Taken { .. } => Some("wait for it, or choose another folder with --out"),
            Self::NotOurs { .. } => Some("choose another folder with --out; nothing in this one was touched"),
            Self::Differs { .. } => Some("repeat the original command, or choose another folder with --out"),
            Self::Journal(JournalError::Damaged { .. }) => {
                Some("it was changed by hand or by a failing disk; fix the line, or choose another folder with --out")
            }
            Self::Io { .. } | Self::Journal(JournalError::Io { .. }) => None,
        }
    }
}

/// See the module documentation.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    pub(super) journal: Journal,
    pub(super) finished: Finished,
    pub(super) pending: Vec<EpisodeSpec>,
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
        let recovered = recover(path, plan, &finished)?;
        journal.append(&recovered)?;
        finished.extend(recovered.into_iter().map(|record| ((record.task.clone(), record.sample), record)));
        tidy(path, &finished, record.keep_logs)?;
        let changed = changed(path, &finished, record.keep_logs);
        let pending = plan.iter().filter_map(|spec| match finished.get(&spec.key()) {
            None => Some(spec.clone()),
            Some(record) if retry_unscored && record.reward().is_none() => {
                Some(EpisodeSpec { attempt: record.attempt, ..spec.clone() }.next_attempt())
            }
            Some(_) => None,
        });
        let pending = pending.collect();
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

    /// What is still to be done, in the order in which it begins.
    #[must_use]
    pub fn pending(&self) -> &[EpisodeSpec] {
        &self.pending
    }

    /// The names of finished episodes whose trajectory is gone, or no longer what it was when they ended. The journal's word on them stands: they
    /// are not run again.
    #[must_use]
    pub fn changed(&self) -> &[String] {
        &self.changed
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
            if !forgotten.is_empty() {
                let is_kept = |name: &str| !owners(name).any(|id| forgotten.contains(id));
                // See above; nothing depends on it.
                let _ = remove_unless(&path, is_kept);
            }
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

/// Writes the record of a run that begins, compares that of one that goes on. The run's name.
fn settle_record(folder: &Folder, record: &RunRecord) -> Result<Option<String>, FolderError> {
    let path = folder.path();
    let failed = |why| FolderError::Io { path: path.join(RECORD_NAME), why };
    let bytes = match folder.read(RECORD_NAME, RECORD_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(OpenError::Missing) => {
            let mut bytes = serde_json::to_vec_pretty(record).map_err(|error| failed(error.into()))?;
            bytes.push(b'\n');
            write_whole(folder, RECORD_NAME, &bytes).map_err(failed)?;
            return Ok(record.name.clone());
        }
        Err(OpenError::TooLarge { .. }) => {
            return Err(FolderError::NotOurs { path: path.to_owned(), why: "its run.json is too large".to_owned() });
        }
        Err(error) => return Err(failed(error.into())),
    };
    let not_ours = |why: String| FolderError::NotOurs { path: path.to_owned(), why };
    let was: RunRecord =
        serde_json::from_slice(&bytes).map_err(|error| not_ours(format!("its run.json is something else: {error}")))?;
    if was.format != FORMAT {
        return Err(not_ours(format!("its run.json is a {:?}", was.format)));
    }
    was.difference(record).map_or(Ok(was.name), Err)
}

/// A file that is there whole or not at all, and survives a power cut once this returns.
fn write_whole(folder: &Folder, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut draft = folder.draft(0o644)?;
    draft.write_all(bytes)?;
    draft.file().sync_all()?;
    draft.name(OsStr::new(name), Existing::Replaced)?;
    folder.sync()
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

/// Episodes that were scored, but of which a crash took the journal's line.
fn recover(path: &Path, plan: &[EpisodeSpec], finished: &Finished) -> Result<Vec<EpisodeRecord>, FolderError> {
    let planned: BTreeMap<_, _> = plan.iter().map(|spec| (spec.key(), spec)).collect();
    let mut recovered = BTreeMap::new();
    for id in ids_in(&path.join(EPISODES))? {
        let Some((task, sample, attempt)) = parts_of(&id) else { continue };
        let key = (task.to_owned(), sample);
        let Some(spec) = planned.get(&key) else { continue };
        // After `--retry-unscored`, a later attempt takes the place of one without a score.
        if finished.get(&key).is_some_and(|record| record.reward().is_some() || record.attempt >= attempt) {
            continue;
        }
        let spec = EpisodeSpec { attempt, ..(*spec).clone() };
        if let Some(record) = read_scored(&path.join(EPISODES).join(format!("{id}.jsonl")), &spec) {
            recovered.insert(key, record);
        }
    }
    Ok(recovered.into_values().collect())
}

/// What a whole trajectory says of its episode, if it has a score.
fn read_scored(path: &Path, spec: &EpisodeSpec) -> Option<EpisodeRecord> {
    let loaded = assay_trace::read(BufReader::new(assay_files::open(path, Links::Refused).ok()?)).ok()?;
    if loaded.damage.is_some() {
        return None;
    }
    EpisodeRecord::scored(spec, &loaded.trajectory, loaded.head.hash.to_string())
}

/// A name and what it belongs to: sub-agents' trajectories and outputs of tests have the episode's name and more after a dot.
fn owners(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.rsplit_once('.').map(|(rest, _)| rest))
}

/// Removes what belongs to no finished episode, or to one that keeps no full log.
fn tidy(path: &Path, finished: &Finished, keep_logs: SampleRate) -> Result<(), FolderError> {
    let is_kept = |name: &str| {
        // What has no episode's name is somebody else's and stays.
        owners(name).find_map(parts_of).is_none_or(|(task, sample, attempt)| {
            finished.get(&(task.to_owned(), sample)).is_some_and(|record| {
                attempt < record.attempt || attempt == record.attempt && record.keeps_full_log(keep_logs)
            })
        })
    };
    remove_unless(path, is_kept)
}

/// Removes every entry, of those that episodes leave, that is not to be kept; names are without `.jsonl`.
fn remove_unless(path: &Path, is_kept: impl Fn(&str) -> bool) -> Result<(), FolderError> {
    for folder in [EPISODES, OUTPUTS] {
        let folder = path.join(folder);
        let failed = |path: PathBuf| move |why| FolderError::Io { path, why };
        for entry in fs::read_dir(&folder).map_err(failed(folder.clone()))? {
            let entry = entry.map_err(failed(folder.clone()))?;
            let name = entry.file_name();
            let id = name.to_str().map(|name| name.strip_suffix(".jsonl").unwrap_or(name));
            if id.is_none_or(&is_kept) {
                continue;
            }
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let removed = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(failed(path))?;
        }
    }
    Ok(())
}

/// See [`RunFolder::changed`].
fn changed(path: &Path, finished: &Finished, keep_logs: SampleRate) -> Vec<String> {
    let is_as_it_was = |record: &EpisodeRecord| {
        let Some(hash) = record.hash.as_ref().and_then(|hash| Digest::from_hex(hash.as_bytes()).ok()) else {
            return true;
        };
        let file = assay_files::open(&path.join(EPISODES).join(format!("{}.jsonl", record.id)), Links::Refused);
        file.is_ok_and(|file| still_holds(BufReader::new(file), hash).unwrap_or(false))
    };
    let kept = finished.values().filter(|record| record.keeps_full_log(keep_logs));
    kept.filter(|record| !is_as_it_was(record)).map(|record| record.id.clone()).collect()
}

/// The names of the trajectories.
fn ids_in(folder: &Path) -> Result<Vec<String>, FolderError> {
    let failed = |why| FolderError::Io { path: folder.to_owned(), why };
    let mut ids = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        ids.extend(name.to_str().and_then(|name| name.strip_suffix(".jsonl")).map(str::to_owned));
    }
    ids.sort();
    Ok(ids)
}

/// Task, sample and attempt of an episode's name.
fn parts_of(id: &str) -> Option<(&str, u32, u32)> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0 && number.to_string() == text);
    let (rest, attempt) = match id.rsplit_once(".a") {
        Some((rest, digits)) if number(digits).is_some() => (rest, number(digits)?),
        _ => (id, 1),
    };
    let (task, sample) = rest.rsplit_once(".s")?;
    Some((task, number(sample)?, attempt))
}
