//! A session that begins with the events of another.

use super::{failed, folder, managed, read, resume_command};
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_refine::manage::{ManageError, fork};
use std::path::Path;

/// `ID@N`
pub(super) fn run(dir: &Path, from: &str) -> Result<Exit, Failure> {
    let wrong = || Failure::usage(format!("`{from}` is not a valid place to fork from")).hint("for example: my-1@7");
    let (parent, at) = from.split_once('@').ok_or_else(wrong)?;
    let at: u64 = at.parse().ok().filter(|at| *at > 0).ok_or_else(wrong)?;
    let path = folder(dir, parent)?;
    let id = fork(&read(&path)?, parent, at, dir, std::process::id()).map_err(|error| match error {
        ManageError::Short { has } => Failure::usage(format!("the session {parent} has {has} events")),
        ManageError::Journal(error) => failed(&path, &error),
        error => managed(&path, &error),
    })?;
    ui::step("Forked", &format!("{id} from {parent} after event {at}; `{}` runs it", resume_command(&dir.join(&id))));
    Ok(Exit::Success)
}
