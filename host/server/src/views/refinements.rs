//! Refinements: their list, a session with its candidates, and asking one to stop.
//!
//! Invariant: everything that is told is a function of the session's log, but whether a process works on it.

use super::{Problem, View, folder, topic_of_folder};
use crate::code::Code;
use crate::id::FolderId;
use crate::library::{Found, Library, What};
use crate::pages::refine::Session;
use crate::pages::{Frame, refine};
use crate::starting::Work;
use assay_refine::core::event::Program;
use assay_refine::core::place::Place as Slot;
use assay_refine::journal::{JournalError, Kept};

/// The list of refinements.
pub(crate) fn refinements(frame: Frame<'_>, library: &Library) -> View {
    Ok(refine::list(frame, &library.scan()))
}

/// A session in a folder.
pub(crate) fn session(library: &Library, id: FolderId) -> Result<(Found, Kept), Problem> {
    let found = folder(library, id, &[What::Refinement])?;
    let opened = found.open().map_err(|error| Problem::of_file("log.jsonl", &error))?;
    let kept = Kept::read_in(opened).map_err(|error| match error {
        JournalError::Missing => Problem::nothing(),
        error => Problem::unreadable("log.jsonl", error),
    })?;
    Ok((found, kept))
}

/// One session.
pub(crate) fn refinement(frame: Frame<'_>, library: &Library, id: FolderId, work: Option<&Work>) -> View {
    let topic = topic_of_folder(library, id);
    let (found, kept) = session(library, id)?;
    let job = work.and_then(|work| work.jobs.of_session(&found.path));
    let session = Session { found: &found, state: &kept.state, is_running: kept.is_running, job: job.as_ref(), topic };
    Ok(refine::page(frame, &session))
}

/// One candidate of a session.
pub(crate) fn candidate(frame: Frame<'_>, library: &Library, id: FolderId, slot: &str) -> View {
    let slot = Slot::try_from(slot.to_owned()).map_err(|_| Problem::nothing())?;
    let (found, kept) = session(library, id)?;
    let source = source_of(&kept, slot);
    refine::candidate(frame, &found, &kept.state, slot, source.as_ref()).ok_or_else(Problem::nothing)
}

/// The source of a candidate, or why it cannot be read; none of a slot of which nothing came.
pub(crate) fn source_of(kept: &Kept, slot: Slot) -> Option<Result<String, String>> {
    let candidate = kept.state.candidates().get(&slot)?;
    let hash = match candidate.program.as_ref()? {
        Program::Source(hash) => hash,
        Program::Settings(_) => &kept.state.plan().source_hash,
    };
    Some(kept.program(hash).map_err(|error| error.to_string()))
}

/// The places of all candidates of a session.
pub(crate) fn slots(library: &Library, id: FolderId) -> Result<Vec<String>, Problem> {
    let (_, kept) = session(library, id)?;
    Ok(kept.state.candidates().keys().map(ToString::to_string).collect())
}

/// Asks the process of a session to stop.
pub(crate) fn stop(library: &Library, id: FolderId) -> Result<(), Problem> {
    let (_, kept) = session(library, id)?;
    if !kept.is_running {
        return Err(Problem::new(Code::Conflict, "It is not running", "No process runs this session."));
    }
    kept.ask_to_stop().map_err(|error| Problem::unreadable("the session", error))
}
