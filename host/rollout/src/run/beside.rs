//! A line of a journal with what lies beside it: the trajectory that it names.
//!
//! Invariants: the first line of a trajectory is read at most once for a line of the journal, and not at all where the whole of it was read; what is read is
//! bounded.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _, SeekFrom};

use assay_files::Folder;
use assay_model::Seed;
use assay_trace::Metadata;
use serde::de::DeserializeOwned;

use super::episode::EpisodeRecord;
use super::names::LINE_BYTES_MAX;

/// Bytes of the end of a trajectory in which its last records are looked for: a score has some hundred parts.
const END_BYTES: u64 = 32 << 10;

/// See the module documentation.
pub(super) struct Episode<'a> {
    /// Its line.
    pub(super) line: &'a EpisodeRecord,
    /// The folder of its trajectory.
    pub(super) episodes: &'a Folder,
    /// Whether a later line has a score for this very attempt, which was graded once more.
    pub(super) is_scored_later: bool,
    named: OnceCell<Option<Named>>,
}

/// What the first line of a trajectory says which episode it is.
#[derive(serde::Deserialize)]
pub(super) struct Named {
    pub(super) id: String,
    pub(super) seed: Seed,
    pub(super) model: Option<String>,
}

impl Named {
    /// Whether it is the episode of a line.
    pub(super) fn is_of(&self, line: &EpisodeRecord) -> bool {
        (self.id.as_str(), self.seed) == (line.id.as_str(), line.seed)
    }
}

impl<'a> Episode<'a> {
    pub(super) const fn new(line: &'a EpisodeRecord, episodes: &'a Folder, is_scored_later: bool) -> Self {
        Self { line, episodes, is_scored_later, named: OnceCell::new() }
    }

    /// Takes what somebody has read of the trajectory.
    pub(super) fn knows(&self, metadata: &Metadata) {
        let (id, model) = (metadata.id.as_str().to_owned(), Some(metadata.model.clone()));
        // Where it was read before, it said the same.
        let _ = self.named.set(Some(Named { id, seed: metadata.seed, model }));
    }

    /// Which episode its trajectory says that it is; nothing where it does not say so.
    pub(super) fn named(&self) -> Option<&Named> {
        let read = || {
            let (file, mut left) = (self.episodes.file(file_name(self.line)).ok()?, LINE_BYTES_MAX);
            first_line(&mut BufReader::new(file), &mut left)
        };
        self.named.get_or_init(read).as_ref()
    }
}

/// The name of an episode's trajectory among the others.
pub(super) fn file_name(record: &EpisodeRecord) -> String {
    format!("{}.jsonl", record.id)
}

/// The first line of a trajectory, as far as it is wanted. What is read of it is taken from the bytes that are `left`.
pub(super) fn first_line<T: DeserializeOwned>(file: &mut impl BufRead, left: &mut u64) -> Option<T> {
    serde_json::from_slice(&whole_line(file, left)?).ok()
}

/// The next line, without its line feed, if all of it can be read. What is read of it is taken from the bytes that are `left`.
pub(super) fn whole_line(file: &mut impl BufRead, left: &mut u64) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let bytes = file.take((*left).min(LINE_BYTES_MAX)).read_until(b'\n', &mut line).ok()?;
    *left = left.saturating_sub(bytes as u64);
    (line.pop() == Some(b'\n')).then_some(line)
}

/// The end of a trajectory, the first line of which may not be whole. What is read of it is taken from the bytes that are `left`.
pub(super) fn end_of(file: &mut File, left: &mut u64) -> Option<Vec<u8>> {
    let from = file.metadata().ok()?.len().saturating_sub(END_BYTES);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut end = Vec::new();
    let bytes = file.take(END_BYTES.min(*left)).read_to_end(&mut end).ok()?;
    *left = left.saturating_sub(bytes as u64);
    Some(end)
}

/// The lines without a score whose attempt has one in a later line.
pub(super) fn scored_later(records: &[(usize, EpisodeRecord)]) -> BTreeSet<usize> {
    let (mut scored, mut found) = (BTreeSet::new(), BTreeSet::new());
    for (line, record) in records.iter().rev() {
        if record.reward().is_some() {
            scored.insert(record.id.as_str());
        } else if scored.contains(record.id.as_str()) {
            found.insert(*line);
        }
    }
    found
}
