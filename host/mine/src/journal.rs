//! `mined.jsonl`: what a folder is mined from, and what became of each commit that was run.
//!
//! Invariants: the first line says with which settings the folder was begun; a line counts once its line feed is on disk; a commit that was admitted or
//! refused is not run again, one whose infrastructure failed is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use assay_files::Folder;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::refusal::Reason;
use crate::settings::TaskSettings;

/// Its name.
pub const JOURNAL_NAME: &str = "mined.jsonl";
/// Bytes of a journal: a line has some hundred, and no folder a million commits.
const BYTES_MAX: u64 = 256 << 20;
/// The form of its lines.
const VERSION: u32 = 1;

/// What became of a commit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The commit.
    pub commit: String,
    /// The task that it is, or would have been.
    pub task: String,
    /// The first line of its message: text of a stranger.
    pub subject: String,
    /// What became of it.
    pub standing: Standing,
    /// Why it was refused, in a word.
    pub reason: Option<Reason>,
    /// The same in a sentence.
    pub why: String,
    /// Tests that fail before and pass after.
    pub fail_to_pass: usize,
    /// Tests that pass in both.
    pub pass_to_pass: usize,
    /// Where the bug report is from.
    pub report: Option<ReportFrom>,
    /// Tests made wrong that confirm rewards.
    pub controls: Option<usize>,
    /// Whether a process without the submission confirms them too.
    pub second_opinion: bool,
    /// Attacks that were tried and came to nothing.
    pub attacks: usize,
    /// Time that it took.
    pub seconds: f64,
}

/// What became of a commit, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is a task.
    Admitted,
    /// It is none.
    Refused,
    /// The infrastructure failed: it is tried again.
    Unknown,
}

/// Where a bug report is from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportFrom {
    /// From the commit's message.
    Message,
    /// Nothing of use was said: from the names of the tests.
    Tests,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: u32,
    settings: TaskSettings,
}

/// Why a folder cannot be mined into.
#[derive(Debug, Error)]
pub enum FolderError {
    /// It cannot be read or written.
    #[error("failed to use {}: {why}", path.display())]
    Io {
        /// What of it.
        path: PathBuf,
        /// What happened.
        why: std::io::Error,
    },
    /// Another process mines into it.
    #[error("{} is in use by another `assay tasks mine`", path.display())]
    Taken {
        /// The folder.
        path: PathBuf,
    },
    /// It was begun differently.
    #[error("{} was begun with other settings: {}", path.display(), changes.join("; "))]
    Changed {
        /// The folder.
        path: PathBuf,
        /// What was, what is.
        changes: Vec<String>,
    },
    /// A line is not ours.
    #[error("line {line} of {} is damaged: {why}", path.display())]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

/// The journal, open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// What is known, by commit; the last line of each.
    pub(crate) judged: BTreeMap<String, Judged>,
}

impl Journal {
    /// Opens the journal of a folder, or begins it.
    pub(crate) fn open(folder: &Folder, settings: &TaskSettings) -> Result<Self, FolderError> {
        let path = folder.path().join(JOURNAL_NAME);
        let failed = |why| FolderError::Io { path: path.clone(), why };
        let mut file = folder.file_to_change(JOURNAL_NAME, 0o644).map_err(|error| failed(error.into()))?;
        let mut bytes = Vec::new();
        (&file).take(BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
        // What a killed process left half-written, within a letter even.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        bytes.truncate(whole);
        let text = String::from_utf8(bytes).map_err(|error| failed(std::io::Error::other(error)))?;
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        let mut journal = Self { path: path.clone(), file, judged: BTreeMap::new() };
        let mut lines = text.lines().enumerate();
        match lines.next() {
            None => journal.append(&Header { version: VERSION, settings: settings.clone() })?,
            Some((_, line)) => settle(&path, line, settings)?,
        }
        for (index, line) in lines {
            let judged: Judged = parse(&path, index, line)?;
            journal.judged.insert(judged.commit.clone(), judged);
        }
        Ok(journal)
    }

    /// Adds what became of a commit; it is on disk when the call is over.
    pub(crate) fn add(&mut self, judged: &Judged) -> Result<(), FolderError> {
        self.append(judged)?;
        self.judged.insert(judged.commit.clone(), judged.clone());
        Ok(())
    }

    fn append<T: Serialize>(&mut self, line: &T) -> Result<(), FolderError> {
        let failed = |why| FolderError::Io { path: self.path.clone(), why };
        let mut bytes = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
        self.file.write_all(&bytes).and_then(|()| self.file.sync_data()).map_err(failed)
    }
}

fn parse<T: for<'de> Deserialize<'de>>(path: &Path, index: usize, line: &str) -> Result<T, FolderError> {
    serde_json::from_str(line).map_err(|error| FolderError::Damaged {
        path: path.to_owned(),
        line: index + 1,
        why: error.to_string(),
    })
}

/// Compares the settings that a folder was begun with to those of now.
fn settle(path: &Path, line: &str, settings: &TaskSettings) -> Result<(), FolderError> {
    let header: Header = parse(path, 0, line)?;
    let value = |settings: &TaskSettings| match serde_json::to_value(settings) {
        Ok(serde_json::Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    };
    let (then, now) = (value(&header.settings), value(settings));
    let differs = then.iter().filter_map(|(key, old)| {
        let new = now.get(key).filter(|new| *new != old)?;
        Some(format!("{key} was {old}, now it is {new}"))
    });
    let changes: Vec<String> = differs.collect();
    let folder = path.parent().unwrap_or(path).to_owned();
    if changes.is_empty() { Ok(()) } else { Err(FolderError::Changed { path: folder, changes }) }
}
