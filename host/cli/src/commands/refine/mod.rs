//! `assay refine`: sessions that improve a strategy. The work is in `assay_refine`; here flags become plans, and events lines.

mod asking;
mod begin;
#[cfg(feature = "rollouts")]
mod bench;
pub(crate) mod explain;
mod fork;
#[cfg(feature = "stores")]
mod ledger;
mod list;
#[cfg(feature = "rollouts")]
mod model;
mod table;
mod work;
mod workshop;

use crate::args::{RefineArgs, RefineCommand};
use crate::exit::{Exit, Failure, chain};
use crate::settings::Machine;
use assay_refine::journal::{JournalError, Kept};
use assay_refine::manage::{self, ManageError};
use std::path::{Path, PathBuf};

/// Sessions of one folder that are looked at.
const SESSIONS_MAX: usize = 10_000;

pub(crate) fn run(args: &RefineArgs, machine: impl Fn() -> Result<Machine, Failure>) -> Result<Exit, Failure> {
    let dir = &args.begin.dir;
    match &args.command {
        None => begin::run(&machine()?, &args.begin),
        Some(RefineCommand::Status { json }) => list::status(dir, *json),
        Some(RefineCommand::Show { id, json, after }) => list::show(&folder(dir, id)?, *json, *after),
        Some(RefineCommand::Resume(args)) => begin::resume(&machine()?, &folder(dir, &args.id)?, args),
        Some(RefineCommand::Hint { id, text }) => list::hint(&folder(dir, id)?, text),
        Some(RefineCommand::Stop { id }) => list::stop(&folder(dir, id)?, id),
        Some(RefineCommand::Fork { from }) => fork::run(dir, from),
        #[cfg(feature = "rollouts")]
        Some(RefineCommand::Bench(args)) => bench::run(&machine()?, args),
        #[cfg(not(feature = "rollouts"))]
        Some(RefineCommand::Bench(_)) => Err(Failure::left_out("language models")),
        Some(RefineCommand::Export { id, out }) => list::export(&folder(dir, id)?, id, out.as_deref()),
    }
}

/// The folder of a session. An id is a name, never a path.
fn folder(dir: &Path, id: &str) -> Result<PathBuf, Failure> {
    let is_name =
        !id.is_empty() && !id.starts_with('.') && id.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    if !is_name {
        return Err(Failure::usage(format!("`{id}` is not a valid id of a session")).hint(LIST_HINT));
    }
    Ok(dir.join(id))
}

/// The folder that sessions are kept in where `--dir` names none.
const USUAL_DIR: &str = "refine";

/// The command that resumes the session in a folder, for a person to copy.
fn resume_command(path: &Path) -> String {
    let id = path.file_name().unwrap_or_default().to_string_lossy();
    let dir = path.parent().unwrap_or(Path::new("")).display().to_string();
    let dir = if dir.chars().all(|c| c.is_alphanumeric() || "/-_.".contains(c)) { dir } else { format!("'{dir}'") };
    let place = if dir == USUAL_DIR { String::new() } else { format!(" --dir {dir}") };
    format!("assay refine resume {id}{place}")
}

const LIST_HINT: &str = "`assay refine status` lists the sessions";

/// A name that no session has yet: that of the strategy, and a number.
fn new_id(dir: &Path, stem: &str) -> Result<String, Failure> {
    manage::new_id(dir, stem).map_err(Failure::usage)
}

/// Why something was not done to a session, for a person.
fn managed(path: &Path, error: &ManageError) -> Failure {
    match error {
        ManageError::Journal(error) => failed(path, error),
        error => Failure::usage(error),
    }
}

/// What is wrong with a session's folder, for a person.
fn failed(path: &Path, error: &JournalError) -> Failure {
    let message = format!("{}: {}", path.display(), chain(error));
    match error {
        JournalError::Missing => Failure::usage(message).hint(LIST_HINT),
        JournalError::Busy => Failure::usage(message).hint("wait for it, or stop it with `assay refine stop`"),
        JournalError::Empty => Failure::usage(message).hint("remove the folder"),
        JournalError::Exists | JournalError::Damaged { .. } | JournalError::Misplaced(_) => Failure::usage(message),
        _ => Failure::infrastructure(message)
            .hint(format!("once that is mended, `{}` continues the session", resume_command(path))),
    }
}

fn read(path: &Path) -> Result<Kept, Failure> {
    Kept::read(path).map_err(|error| match failed(path, &error) {
        // Nobody who only reads wants to continue it.
        failure if matches!(error, JournalError::Files { .. }) => Failure { hint: None, ..failure },
        failure => failure,
    })
}
