//! The lines of a journal, read one by one.
//!
//! Invariants: a line that is damaged hides no other; what a crash left half-written at the end is no line; what is held of damaged lines is bounded.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};

use super::episode::{EpisodeRecord, EpisodeSpec};
use super::names::LINE_BYTES_MAX;

/// The largest reward, up or down: means and errors of a million such are still numbers.
const REWARD_MAX: f64 = 1e100;
/// The most tokens, micro-dollars or steps that a line may speak of: a billion dollars, far beyond any episode. Nothing else bounds a line whose trajectory is gone.
const SPENT_MAX: u64 = 1_000_000_000_000_000;
/// Damaged lines that are told apart. A file with more of them is no journal, and not read to its end.
pub(super) const DAMAGED_MAX: usize = 1_000;

/// A line that cannot be read, or says what cannot be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DamagedLine {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

/// Every whole line of a journal.
#[derive(Default)]
pub(super) struct Lines {
    /// What they say, each with its line, from 1.
    pub(super) records: Vec<(usize, EpisodeRecord)>,
    /// Those that say nothing, in their order.
    pub(super) damaged: Vec<DamagedLine>,
    /// Where the last one ends.
    pub(super) whole: u64,
}

/// Reads every whole line.
pub(super) fn read(file: &File) -> io::Result<Lines> {
    let (mut source, mut lines, mut number) = (BufReader::new(file), Lines::default(), 0);
    loop {
        number += 1;
        let mut line = Vec::new();
        let mut bytes = source.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line)? as u64;
        let is_too_long = bytes > LINE_BYTES_MAX;
        if is_too_long && line.last() != Some(&b'\n') {
            bytes += source.skip_until(b'\n')? as u64;
        }
        if !is_too_long && line.pop() != Some(b'\n') {
            return Ok(lines);
        }
        lines.whole += bytes;
        let said = if is_too_long { Err(format!("it has more than {LINE_BYTES_MAX} bytes")) } else { record(&line) };
        match said {
            Ok(record) => lines.records.push((number, record)),
            Err(why) => lines.damaged.push(DamagedLine { line: number, why }),
        }
        if lines.damaged.len() > DAMAGED_MAX {
            return Ok(lines);
        }
    }
}

/// What a line says.
fn record(line: &[u8]) -> Result<EpisodeRecord, String> {
    let record: EpisodeRecord = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    match impossible(&record) {
        Some(why) => Err(why),
        None => Ok(record),
    }
}

/// What cannot be so in a line, whatever the trajectories say.
fn impossible(record: &EpisodeRecord) -> Option<String> {
    let EpisodeRecord { id, task, sample, attempt, seed, .. } = record;
    let spec = EpisodeSpec { task: task.clone(), sample: *sample, attempt: *attempt, seed: *seed };
    if *id != spec.id() {
        return Some(format!("the episode is called {id:?}, but its task, sample and attempt make {:?}", spec.id()));
    }
    let spent = record.spending();
    let amounts = [("tokens", spent.tokens), ("micro-dollars", spent.cost_microdollars), ("steps", record.steps)];
    if let Some((what, amount)) = amounts.into_iter().find(|(_, amount)| *amount > SPENT_MAX) {
        return Some(format!("it says that the episode took {amount} {what}; at most {SPENT_MAX} are possible"));
    }
    let reward = record.reward().filter(|reward| reward.is_nan() || reward.abs() > REWARD_MAX)?;
    Some(format!("its reward is {reward:e}; it must be a number up to {REWARD_MAX:e}"))
}
