//! What can be done to a session beside running it: it is given a hint, or another one begins with its events.
//!
//! Invariants: a hint is noted by whoever has the journal, so never beside a process that runs the session; a fork has a name that no session has, and draws
//! of its own.

use crate::core::event::{Body, Event};
use crate::core::plan::WriterPlan;
use crate::core::state::State;
use crate::journal::{Journal, JournalError, Kept};
use std::path::{Path, PathBuf};

/// Bytes of a hint; all of them are told again with each candidate.
pub const HINT_BYTES_MAX: usize = 2_000;
/// Sessions of one name in one folder.
const SESSIONS_MAX: usize = 10_000;

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
pub enum ManageError {
    /// The session's folder.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It is no hint.
    #[error("a hint has 1 to {HINT_BYTES_MAX} bytes")]
    Hint,
    /// Nobody writes any more.
    #[error("the session is over, so nobody would hear the hint")]
    Over,
    /// There is nobody to hear it.
    #[error("the tuner does not read hints")]
    Deaf,
    /// The session has not come so far.
    #[error("the session has {has} events")]
    Short {
        /// How many it has.
        has: u64,
    },
    /// What is to be shared is over.
    #[error("the session had been decided by then; its last event that can be shared is {last}")]
    Decided {
        /// That event.
        last: u64,
    },
    /// A trial is open there.
    #[error(
        "a trial was open by then, and a fork would draw new seeds for the rest of it; the last event before that trial is {before}"
    )]
    Trial {
        /// That event.
        before: u64,
    },
    /// Every name is taken.
    #[error("there are {SESSIONS_MAX} sessions of {stem} in {}", dir.display())]
    Full {
        /// The name without its number.
        stem: String,
        /// Where.
        dir: PathBuf,
    },
}

/// Gives the writer of a session a hint, which its next candidates hear. `owner` is this process.
///
/// # Errors
/// [`ManageError`]; among them that a process is running the session.
pub fn hint(session: &Path, text: &str, owner: u32) -> Result<(), ManageError> {
    let text = checked_hint(text)?;
    let mut journal = Journal::open(session, owner)?;
    if matches!(journal.state().plan().writer, WriterPlan::Tuner { .. }) {
        return Err(ManageError::Deaf);
    }
    if journal.state().ended().is_some() {
        return Err(ManageError::Over);
    }
    let at_ms = journal.state().at_ms();
    journal.note(at_ms, Body::Hinted { text: text.to_owned() })?;
    Ok(())
}

/// A hint without the space around it.
///
/// # Errors
/// It is empty or too long.
pub fn checked_hint(text: &str) -> Result<&str, ManageError> {
    let is_right = !text.trim().is_empty() && text.len() <= HINT_BYTES_MAX;
    if is_right { Ok(text.trim()) } else { Err(ManageError::Hint) }
}

/// Begins a session in a folder of `dir` with the events of another up to number `at`; its name. `owner` is this process.
///
/// # Errors
/// [`ManageError`].
pub fn fork(kept: &Kept, parent: &str, at: u64, dir: &Path, owner: u32) -> Result<String, ManageError> {
    kept.state.plan().validate().map_err(JournalError::from)?;
    if at == 0 || at > kept.state.seq() {
        return Err(ManageError::Short { has: kept.state.seq() });
    }
    let over = kept.events.iter().find(|event| matches!(event.body, Body::Unsealed { .. } | Body::Ended { .. }));
    if let Some(over) = over.filter(|over| over.seq <= at) {
        return Err(ManageError::Decided { last: over.seq - 1 });
    }
    let mut events: Vec<Event> = kept.events.iter().filter(|event| event.seq <= at).cloned().collect();
    let before = last_outside_trials(&events);
    if before < at {
        return Err(ManageError::Trial { before });
    }
    let id = new_id(dir, &format!("{parent}-fork"))?;
    let digest = blake3::hash(format!("{id} {} {parent} {at}", kept.state.seed()).as_bytes());
    let mut seed = [0; 8];
    seed.copy_from_slice(&digest.as_bytes()[..8]);
    let at_ms = events.last().map_or(0, |event| event.at_ms);
    // As other seeds: below 2⁵³.
    let body = Body::Forked { from: parent.to_owned(), at, seed: u64::from_le_bytes(seed) >> 11 };
    events.push(Event { seq: at + 1, at_ms, owner, body });
    Journal::copy(&dir.join(&id), &events, &kept.texts(at)?, owner)?;
    Ok(id)
}

/// The last of these events at which no trial is open. A fork in the middle of one would draw anew the seeds that it has still to see, as often as somebody
/// forks, until they are the right ones.
fn last_outside_trials(events: &[Event]) -> u64 {
    let mut state: Option<State> = None;
    let mut last = 0;
    for event in events {
        let taken = match &mut state {
            None => State::begin(event).map(|begun| state = Some(begun)),
            Some(state) => state.apply(event),
        };
        let is_open = |state: &State| state.trials().last().is_some_and(|trial| trial.promoted.is_none());
        if taken.is_ok() && !state.as_ref().is_some_and(is_open) {
            last = event.seq;
        }
    }
    last
}

/// A name that no session in a folder has yet: that of the strategy, and a number.
///
/// # Errors
/// Every one is taken.
pub fn new_id(dir: &Path, stem: &str) -> Result<String, ManageError> {
    let plain: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' }).collect();
    let plain = if plain.is_empty() { "session".to_owned() } else { plain };
    let free = (1..=SESSIONS_MAX).map(|number| format!("{plain}-{number}")).find(|id| !dir.join(id).exists());
    free.ok_or_else(|| ManageError::Full { stem: plain, dir: dir.to_owned() })
}
