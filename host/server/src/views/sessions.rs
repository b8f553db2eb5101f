//! What is done to sessions of refinements: they are resumed, given hints, and forked.

use super::desk::{refused, unwell};
use super::{Done, Problem, session};
use crate::code::Code;
use crate::form::Form;
use crate::id::FolderId;
use crate::library::Library;
use crate::starting::Work;
use assay_refine::core::plan::WriterPlan;
use assay_refine::manage;
use assay_work::jobs::{Job, Plan, State, What as JobWhat};
use assay_work::order;
use std::path::PathBuf;

/// A job that goes on with a session.
fn resumed(work: &Work, subject: &str, session: PathBuf, hint: Option<String>) -> Result<Job, Problem> {
    let words = order::resume(&session).ok_or_else(Problem::nothing)?;
    let name = session.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let started = work.jobs.start(&name, |_| {
        Ok(Plan {
            what: JobWhat::Refine,
            subject: subject.to_owned(),
            files: Vec::new(),
            again: Some(words.clone()),
            words,
            result: session.clone(),
            session: Some(session),
            hint,
        })
    });
    started.map_err(|error| refused(&error))
}

/// A field of a form that is wrong.
fn amiss(field: &str, words: impl Into<String>) -> Problem {
    Problem::new(Code::InvalidRequest, "That cannot be done", words).about(field)
}

fn conflict(title: &'static str, words: &str) -> Problem {
    Problem::new(Code::Conflict, title, words)
}

pub(crate) fn resume(library: &Library, work: &Work, id: FolderId) -> Result<Done, Problem> {
    let (found, kept) = session(library, id)?;
    if kept.state.ended().is_some() {
        return Err(conflict("It is over", "Nothing is left to do in this session; a fork can go on from any event."));
    }
    if kept.is_running || work.jobs.of_session(&found.path).is_some() {
        return Err(conflict("It is running", "This session is running, or waits for its turn."));
    }
    resumed(work, &kept.state.plan().strategy, found.path, None)?;
    Ok(Done::Go(format!("/refine/{id}")))
}

/// Gives a session a hint. One that runs is stopped for it, and goes on with it.
pub(crate) fn hint(library: &Library, work: &Work, id: FolderId, form: &Form) -> Result<Done, Problem> {
    let (found, kept) = session(library, id)?;
    let text = manage::checked_hint(form.get("hint")).map_err(|error| amiss("hint", error.to_string()))?;
    if matches!(kept.state.plan().writer, WriterPlan::Tuner { .. }) {
        return Err(unwell(&manage::ManageError::Deaf.to_string()));
    }
    if kept.state.ended().is_some() {
        return Err(conflict("It is over", "No candidate will be written any more that could hear it."));
    }
    let running = work.jobs.of_session(&found.path);
    if running.as_ref().is_some_and(|job| job.hint.is_some()) {
        return Err(conflict(
            "A hint waits already",
            "The session is stopping for another hint. Give this one once it goes on.",
        ));
    }
    if let Some(job) = running.as_ref().filter(|job| job.state == State::Running) {
        // It stops as after Ctrl-C, and loses nothing.
        let _ = work.jobs.stop(&job.id);
    } else if running.is_some() {
        return Err(conflict("It waits for its turn", "Give the hint once the session runs."));
    } else if kept.is_running {
        kept.ask_to_stop().map_err(|error| Problem::unreadable("the session", error))?;
    } else {
        manage::hint(&found.path, text, std::process::id()).map_err(|error| unwell(&error.to_string()))?;
        return Ok(Done::Go(format!("/refine/{id}")));
    }
    resumed(work, &kept.state.plan().strategy, found.path, Some(text.to_owned()))?;
    Ok(Done::Go(format!("/refine/{id}")))
}

/// Begins a session with the events of another, in a folder of its own, and runs it.
pub(crate) fn fork(library: &Library, work: &Work, id: FolderId, form: &Form) -> Result<Job, Problem> {
    let (found, kept) = session(library, id)?;
    let none = || amiss("at", "the event to fork after: it is not a number");
    let at: u64 = form.get("at").trim().parse().map_err(|_| none())?;
    let parent = found.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let subject = kept.state.plan().strategy.clone();
    let started = work.jobs.start(&format!("{parent}-fork"), |own| {
        let dir = own.join("refine");
        let id = manage::fork(&kept, &parent, at, &dir, std::process::id()).map_err(|error| error.to_string())?;
        let session = dir.join(id);
        let words = order::resume(&session).ok_or("the fork has no folder")?;
        Ok(Plan {
            what: JobWhat::Refine,
            subject,
            files: Vec::new(),
            again: Some(words.clone()),
            words,
            result: session.clone(),
            session: Some(session),
            hint: None,
        })
    });
    started.map_err(|error| refused(&error))
}
