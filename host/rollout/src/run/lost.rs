//! What is missing between a line of a journal and its trajectory: the record that the line names, or the score that the trajectory has.
//!
//! Invariants: a trajectory that is gone, or cannot be read as one, contradicts no line; one to which something is being appended is none of those; nothing
//! here writes.

use std::io::{BufRead, BufReader, Read as _, Seek, SeekFrom};

use assay_trace::{Digest, Loaded, Outcome, ReadError, ReadLimits, Verdict, still_holds, verdict_at, verify};

use super::beside::{Episode, file_name};
use super::episode::EpisodeRecord;
use super::names::EPISODES;

/// That a scored line names a trajectory that is missing: agents in worlds may run as the user, so nothing else proves what a line says.
pub(super) fn missing(record: &EpisodeRecord) -> Option<String> {
    (record.reward().is_some() && record.hash.is_some())
        .then(|| format!("its trajectory, {EPISODES}/{}, is missing", file_name(record)))
}

/// That the trajectory of an episode ends with a score, of which its line says nothing, and no later one either. A file that is that of another episode says
/// nothing.
pub(super) fn hidden_score(episode: &Episode<'_>, whole: Option<&Loaded>) -> Option<String> {
    let record = episode.line;
    if record.reward().is_some() || episode.is_scored_later {
        return None;
    }
    let name = file_name(record);
    let verdict = match whole {
        Some(loaded) => loaded.trajectory.verdict().cloned(),
        None => {
            let file = episode.episodes.file(&name).ok()?;
            verify(BufReader::new(file)).ok().filter(|verified| verified.damage.is_none())?.verdict
        }
    };
    let outcome = verdict.filter(|verdict| verdict.reward().is_some()).as_ref().and_then(Verdict::outcome);
    let outcome = outcome.map(Outcome::name).filter(|_| episode.named().is_some_and(|is| is.is_of(record)))?;
    Some(format!("it is unscored, but its trajectory, {EPISODES}/{name}, holds a score: {outcome}"))
}

/// That the trajectory of an episode is there, and does not have the record with the line's hash, or the line has a score and no hash, or neither and the
/// trajectory has a score; in worlds, that it is missing.
pub(super) fn lost(episode: &Episode<'_>, is_in_world: bool) -> Option<String> {
    let record = episode.line;
    let is_scored = record.reward().is_some();
    if !is_scored && episode.is_scored_later {
        // The later line counts.
        return None;
    }
    let name = file_name(record);
    let file = match episode.episodes.file(&name) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return if is_in_world { missing(record) } else { None },
        Err(error) if is_scored || record.hash.is_some() => {
            return Some(format!("its trajectory, {EPISODES}/{name}, cannot be read: {error}"));
        }
        Err(_) => return None,
    };
    let Some(stated) = &record.hash else {
        if !is_scored {
            return hidden_score(episode, None);
        }
        // A file that cannot be read as a trajectory contradicts as little as one that is gone.
        let is_whole = verify(BufReader::new(file)).is_ok_and(|verified| verified.damage.is_none());
        return is_whole.then(|| format!("it has no hash, but its trajectory, {EPISODES}/{name}, is there"));
    };
    let mut file = BufReader::new(file);
    let mut too_large = None;
    let holds = |hash| {
        let held = still_holds(&mut file, hash);
        if let Err(error @ ReadError::NeedsMemory { .. }) = &held {
            too_large = Some(error.to_string());
        }
        // What a grading is appending, or was when it was killed, says nothing against the line of an episode that waits for its score.
        held.unwrap_or(false) || !is_scored && verdict_at(&mut file, hash).is_ok_and(|verdict| verdict.is_some())
    };
    if Digest::from_hex(stated.as_bytes()).is_ok_and(holds) {
        return None;
    }
    if let Some(why) = too_large {
        return Some(format!("its trajectory, {EPISODES}/{name}, is not one of Assay: {why}"));
    }
    Some(match doubled(&mut file) {
        Some(line) => format!("its trajectory, {EPISODES}/{name}, has line {line} twice"),
        None => format!("its trajectory, {EPISODES}/{name}, has no record with the hash of the line any more"),
    })
}

/// The first line of a file that stands there twice in a row, from 1.
fn doubled(source: &mut (impl BufRead + Seek)) -> Option<u64> {
    source.seek(SeekFrom::Start(0)).ok()?;
    let (mut before, mut line) = (Vec::new(), Vec::new());
    for number in 0.. {
        line.clear();
        source.by_ref().take(ReadLimits::STANDARD.line_bytes).read_until(b'\n', &mut line).ok()?;
        if line.last() != Some(&b'\n') {
            return None;
        }
        if line == before {
            return Some(number);
        }
        std::mem::swap(&mut before, &mut line);
    }
    None
}
