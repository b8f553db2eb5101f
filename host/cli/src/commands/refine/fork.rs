//! A session that begins with the events of another.

use super::{failed, folder, new_id, read};
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_refine::core::event::{Body, Event};
use assay_refine::journal::Journal;
use std::path::Path;

/// `ID@N`
pub(super) fn run(dir: &Path, from: &str) -> Result<Exit, Failure> {
    let wrong = || Failure::usage(format!("`{from}` is not a valid place to fork from")).hint("for example: my-1@7");
    let (parent, at) = from.split_once('@').ok_or_else(wrong)?;
    let at: u64 = at.parse().ok().filter(|at| *at > 0).ok_or_else(wrong)?;
    let path = folder(dir, parent)?;
    let kept = read(&path)?;
    if at > kept.state.seq() {
        return Err(Failure::usage(format!("the session {parent} has {} events", kept.state.seq())));
    }
    let id = new_id(dir, &format!("{parent}-fork"))?;
    let mut events: Vec<Event> = kept.events.iter().filter(|event| event.seq <= at).cloned().collect();
    let digest = blake3::hash(format!("{id} {} {parent} {at}", kept.state.seed()).as_bytes());
    let mut seed = [0; 8];
    seed.copy_from_slice(&digest.as_bytes()[..8]);
    let at_ms = events.last().map_or(0, |event| event.at_ms);
    // As other seeds: below 2⁵³.
    let body = Body::Forked { from: parent.to_owned(), at, seed: u64::from_le_bytes(seed) >> 11 };
    events.push(Event { seq: at + 1, at_ms, owner: std::process::id(), body });
    let new = dir.join(&id);
    let texts = kept.texts().map_err(|error| failed(&path, &error))?;
    Journal::copy(&new, &events, &texts, std::process::id()).map_err(|error| failed(&new, &error))?;
    ui::step("Forked", &format!("{id} from {parent} after event {at}; `assay refine resume {id}` runs it"));
    Ok(Exit::Success)
}
