//! `run.json`: what a run is, written when it begins and compared when it goes on.
//!
//! Invariant: everything that the results depend on is compared; a name and a place are not.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use assay_files::{Existing, Folder, Links, OpenError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::FolderError;
use super::names::{RECORD_BYTES_MAX, RECORD_NAME};
use crate::sampling::SampleRate;

/// What `run.json` says that it is, as its `format`.
pub const RUN_FORMAT: &str = "assay-rollout-run";

/// What a run is: written when it begins, compared when it goes on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    format: String,
    /// Everything that the results depend on, by name: the model, limits, seed, samples, versions.
    pub settings: BTreeMap<String, Value>,
    /// Which solved episodes keep their full log.
    #[serde(default)]
    pub(super) keep_logs: SampleRate,
    /// What the run is called elsewhere. No result depends on it: the name that a run began with stays, and runs of before it have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Where the tasks were loaded from when the run began: a path from the root on. No result depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<PathBuf>,
    /// The command that it began with. No result depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// The tasks by id, with a digest of each.
    pub tasks: BTreeMap<String, String>,
}

impl RunRecord {
    /// A run of these tasks with these settings.
    #[must_use]
    pub fn new(settings: BTreeMap<String, Value>, tasks: BTreeMap<String, String>) -> Self {
        Self {
            format: RUN_FORMAT.to_owned(),
            settings,
            keep_logs: SampleRate::ALL,
            name: None,
            source: None,
            command: None,
            tasks,
        }
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

    /// The same run, of tasks that were loaded from `source`, by this command, if it begins now.
    #[must_use]
    pub fn begun_with(self, source: PathBuf, command: String) -> Self {
        Self { source: Some(source), command: Some(command), ..self }
    }

    /// The command that it began with; runs of earlier releases do not say.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        self.command.as_deref()
    }

    /// Where its tasks were when it began; runs of earlier releases do not say.
    #[must_use]
    pub fn source(&self) -> Option<&Path> {
        self.source.as_deref()
    }

    /// How many episodes it asks for: so many samples of each task. Runs that do not say so ask for what they have.
    #[must_use]
    pub fn planned(&self) -> Option<u64> {
        let samples = self.settings.get("samples").and_then(Value::as_u64)?;
        Some(samples.saturating_mul(self.tasks.len() as u64))
    }

    /// The record of an existing run.
    ///
    /// # Errors
    /// The folder holds no run, or it cannot be read.
    pub fn read(path: &Path) -> Result<Self, FolderError> {
        let missing = || FolderError::NotOurs { path: path.to_owned(), why: "it has no run.json".to_owned() };
        if !path.is_dir() {
            return Err(FolderError::NotOurs { path: path.to_owned(), why: "it is not a folder".to_owned() });
        }
        let folder = Folder::open(path, Links::Followed)
            .map_err(|error| FolderError::Io { path: path.to_owned(), why: error.into() })?;
        stored(&folder)?.ok_or_else(missing)
    }

    /// The same of a folder that somebody holds open.
    ///
    /// # Errors
    /// As [`RunRecord::read`].
    pub fn read_in(folder: &Folder) -> Result<Self, FolderError> {
        let why = || "it has no run.json".to_owned();
        stored(folder)?.ok_or_else(|| FolderError::NotOurs { path: folder.path().to_owned(), why: why() })
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

/// The record in a folder, where there is one.
fn stored(folder: &Folder) -> Result<Option<RunRecord>, FolderError> {
    let path = folder.path();
    let not_ours = |why: String| FolderError::NotOurs { path: path.to_owned(), why };
    let bytes = match folder.read(RECORD_NAME, RECORD_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(OpenError::Missing) => return Ok(None),
        Err(OpenError::TooLarge { .. }) => return Err(not_ours("its run.json is too large".to_owned())),
        Err(error) => return Err(FolderError::Io { path: path.join(RECORD_NAME), why: error.into() }),
    };
    let record: RunRecord =
        serde_json::from_slice(&bytes).map_err(|error| not_ours(format!("its run.json is something else: {error}")))?;
    if record.format != RUN_FORMAT {
        return Err(not_ours(format!("its run.json is a {:?}", record.format)));
    }
    Ok(Some(record))
}

/// Writes the record of a run that begins, compares that of one that goes on. The run's name.
pub(super) fn settle_record(folder: &Folder, record: &RunRecord) -> Result<Option<String>, FolderError> {
    if let Some(was) = stored(folder)? {
        return was.difference(record).map_or(Ok(was.name), Err);
    }
    let failed = |why| FolderError::Io { path: folder.path().join(RECORD_NAME), why };
    let mut bytes = serde_json::to_vec_pretty(record).map_err(|error| failed(error.into()))?;
    bytes.push(b'\n');
    write_whole(folder, RECORD_NAME, &bytes).map_err(failed)?;
    Ok(record.name.clone())
}

/// A file that is there whole or not at all, and survives a power cut once this returns.
fn write_whole(folder: &Folder, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut draft = folder.draft(0o644)?;
    draft.write_all(bytes)?;
    draft.file().sync_all()?;
    draft.name(OsStr::new(name), Existing::Replaced)?;
    folder.sync()
}
