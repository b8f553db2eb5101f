//! What `assay refine` and `assay explain` do: sessions that improve a strategy, and why runs went as they did. The work is in `assay_refine`; here settings
//! become plans, and events lines.

mod asking;
mod begin;
#[cfg(feature = "rollouts")]
mod bench;
mod estimate;
mod explain;
mod fork;
#[cfg(feature = "stores")]
mod ledger;
mod list;
#[cfg(feature = "rollouts")]
mod model;
mod settings;
mod table;
mod work;
mod workshop;

use crate::{Failure, chain};
pub use assay_refine::core::plan::Search;
use assay_refine::journal::{JournalError, Kept};
use assay_refine::manage::{self, ManageError};
pub use begin::{resume, run as begin};
#[cfg(feature = "rollouts")]
pub use bench::run as bench;
pub use explain::run as explain;
pub use fork::run as fork;
pub use list::{export, hint, show, status, stop};
pub use settings::{BeginSettings, BenchSettings, ExplainSettings, ResumeSettings, WriterKind};
use std::path::{Path, PathBuf};

/// Sessions of one folder that are looked at.
const SESSIONS_MAX: usize = 10_000;
/// Micro-dollars of a dollar.
const MICRO: f64 = 1e6;

/// The folder of a session. An id is a name, never a path.
fn folder(dir: &Path, id: &str) -> Result<PathBuf, Failure> {
    let is_name =
        !id.is_empty() && !id.starts_with('.') && id.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    if !is_name {
        return Err(Failure::usage(format!("`{id}` is not a valid id of a session")).hint(LIST_HINT));
    }
    Ok(dir.join(id))
}

/// The folder that sessions are kept in where nobody names another.
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
        JournalError::Exists | JournalError::Damaged { .. } | JournalError::Misplaced(_) | JournalError::Beyond(_) => {
            Failure::usage(message)
        }
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
