//! A session that begins with the events of another.

use super::{failed, folder, managed, read, resume_command};
use crate::{Ending, Failure, face};
use assay_refine::manage::{ManageError, fork};
use std::path::Path;

/// Begins a session of the folder `dir` with the events of another, up to a number: `ID@N`.
///
/// # Errors
///
/// Where there is no such place to fork from, or the new session cannot be written.
pub fn run(dir: &Path, from: &str) -> Result<Ending, Failure> {
    let wrong = || Failure::usage(format!("`{from}` is not a valid place to fork from")).hint("for example: my-1@7");
    let (parent, at) = from.split_once('@').ok_or_else(wrong)?;
    let at: u64 = at.parse().ok().filter(|at| *at > 0).ok_or_else(wrong)?;
    let path = folder(dir, parent)?;
    let id = fork(&read(&path)?, parent, at, dir, std::process::id()).map_err(|error| match error {
        ManageError::Short { has } => Failure::usage(format!("the session {parent} has {has} events")),
        ManageError::Journal(error) => failed(&path, &error),
        error => managed(&path, &error),
    })?;
    face::step("Forked", &format!("{id} from {parent} after event {at}; `{}` runs it", resume_command(&dir.join(&id))));
    Ok(Ending::Success)
}
