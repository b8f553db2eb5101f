//! `discarded.jsonl`: what attempts have cost of which nothing else is left, because the process was stopped or killed before they ended.
//!
//! Invariants: a line is on disk before the files of its attempt are removed, and no attempt has two; what a crash left half-written at the end is
//! cut off.

use std::collections::BTreeSet;
use std::io::{self, Seek as _, SeekFrom, Write as _};

use assay_files::{Folder, OpenError};
use serde::{Deserialize, Serialize};

use super::spending::Spending;

const NAME: &str = "discarded.jsonl";
/// The largest file: a few hundred bytes for each of some million attempts.
const BYTES_MAX: u64 = 1 << 30;
/// What of it is read for somebody who waits.
const LOOKED_BYTES_MAX: u64 = 64 << 20;

/// An attempt that came to nothing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Discarded {
    /// The episode's name, as far as it got.
    pub(super) id: String,
    /// The hash of the last line of its trajectory: it tells two attempts of one name apart.
    pub(super) hash: String,
    /// What it has cost.
    pub(super) spent: Spending,
}

/// What is there, for whoever only reads. Nothing where there is no such file.
///
/// # Errors
/// The file cannot be read, is too large to be looked at, or is not ours.
pub(super) fn read(folder: &Folder) -> io::Result<Vec<Discarded>> {
    Ok(whole(folder, LOOKED_BYTES_MAX)?.0)
}

/// The whole lines, and where the last of them ends.
fn whole(folder: &Folder, bytes_max: u64) -> io::Result<(Vec<Discarded>, u64)> {
    let mut text = match folder.read(NAME, bytes_max) {
        Ok(text) => text,
        Err(OpenError::Missing) => return Ok((Vec::new(), 0)),
        Err(error) => return Err(error.into()),
    };
    text.truncate(text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let all = lines.map(serde_json::from_slice).collect::<Result<Vec<Discarded>, _>>().map_err(io::Error::from)?;
    Ok((all, text.len() as u64))
}

/// Appends what is not there yet, and returns everything.
///
/// # Errors
/// The file cannot be read or written, or is not ours.
pub(super) fn settle(folder: &Folder, new: Vec<Discarded>) -> io::Result<Vec<Discarded>> {
    let (mut all, end) = whole(folder, BYTES_MAX)?;
    let known: BTreeSet<(String, String)> = all.iter().map(|one| (one.id.clone(), one.hash.clone())).collect();
    let new: Vec<Discarded> =
        new.into_iter().filter(|one| !known.contains(&(one.id.clone(), one.hash.clone()))).collect();
    if !new.is_empty() {
        let mut bytes = Vec::new();
        for one in &new {
            serde_json::to_writer(&mut bytes, one)?;
            bytes.push(b'\n');
        }
        let mut file = folder.file_to_change(NAME, 0o644).map_err(io::Error::from)?;
        file.set_len(end)?;
        file.seek(SeekFrom::End(0))?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        folder.sync()?;
    }
    all.extend(new);
    Ok(all)
}
