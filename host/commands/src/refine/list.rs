//! Sessions that are there: listed, shown, stopped, exported.

use super::workshop::{champion, is_python};
use super::{SESSIONS_MAX, failed, folder, managed, read};
use crate::{Ending, Failure, face};
use assay_files::{Folder, Kind, Links};
use assay_refine::about;
use assay_refine::journal::{JournalError, Kept};
use assay_refine::manage;
use assay_refine::story;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Lists the sessions of the folder `dir`.
///
/// # Errors
///
/// Where the folder cannot be read.
pub fn status(dir: &Path, json: bool) -> Result<Ending, Failure> {
    let names = match Folder::open(dir, Links::Followed) {
        Err(error) if error.is_missing() => Vec::new(),
        Err(error) => return Err(Failure::usage(format!("failed to open {}: {error}", dir.display()))),
        Ok(folder) => {
            let mut names = folder
                .entries(SESSIONS_MAX)
                .map_err(|error| Failure::usage(format!("failed to list {}: {error}", dir.display())))?;
            names.retain(|name| matches!(folder.kind(name), Ok(Some(Kind::Folder))));
            names
        }
    };
    let sessions = names.iter().map(|name| (name.to_string_lossy(), Kept::read(&dir.join(name))));
    if json {
        let all: Vec<Value> = sessions.map(|(id, kept)| about(&id, &kept)).collect();
        face::out_json(&format!("{:#}", Value::from(all)));
        return Ok(Ending::Success);
    }
    let rows: Vec<Vec<String>> = sessions
        .map(|(id, kept)| match kept {
            Ok(kept) => row(face::visible(&id), &kept),
            Err(error) => {
                vec![
                    face::visible(&id),
                    "damaged".to_owned(),
                    String::new(),
                    String::new(),
                    face::visible(&error.to_string()),
                ]
            }
        })
        .collect();
    face::out(&face::left_table(&["session", "status", "generation", "champion", "result"], &rows, 5));
    Ok(Ending::Success)
}

/// A session for a program.
fn about(id: &str, kept: &Result<Kept, JournalError>) -> Value {
    match kept {
        Err(error) => json!({"session": id, "status": "damaged", "error": error.to_string()}),
        Ok(kept) => about::session(id, kept),
    }
}

fn row(id: String, kept: &Kept) -> Vec<String> {
    let (state, status) = (&kept.state, about::status(kept));
    let result = match state.ended() {
        Some(why) => format!("{}; {}", story::outcome(state), why.words()),
        None => story::outcome(state),
    };
    vec![id, status.to_owned(), state.generation().to_string(), state.champion().to_string(), result]
}

/// Shows a session of the folder `dir`; as JSON, its events after a number.
///
/// # Errors
///
/// Where there is no such session, or it is damaged.
pub fn show(dir: &Path, id: &str, json: bool, after: u64) -> Result<Ending, Failure> {
    let kept = read(&folder(dir, id)?)?;
    if !json {
        face::out(face::lines(&story::story(&kept.state)).trim_end());
        return Ok(Ending::Success);
    }
    for event in kept.events.iter().filter(|event| event.seq > after) {
        face::out_json(&serde_json::to_string(event).unwrap_or_default());
    }
    Ok(Ending::Success)
}

/// Gives the models of a session a hint.
///
/// # Errors
///
/// Where there is no such session, it runs, or the hint is not one.
pub fn hint(dir: &Path, id: &str, text: &str) -> Result<Ending, Failure> {
    let path = &folder(dir, id)?;
    manage::hint(path, text, std::process::id()).map_err(|error| managed(path, &error))?;
    face::step("Noted", "the next candidates hear it");
    Ok(Ending::Success)
}

/// Asks a session that runs to stop.
///
/// # Errors
///
/// Where there is no such session, or nobody runs it.
pub fn stop(dir: &Path, id: &str) -> Result<Ending, Failure> {
    let path = &folder(dir, id)?;
    let kept = read(path)?;
    if !kept.is_running {
        return Err(Failure::usage(format!("no process is running the session {id}")));
    }
    kept.ask_to_stop().map_err(|error| failed(path, &error))?;
    face::step("Asked", &format!("{id} to stop; `{}` continues it later", super::resume_command(path)));
    Ok(Ending::Success)
}

/// Writes the champion of a session to `out`; without one, to a file in the current folder that is called as the session is.
///
/// # Errors
///
/// Where there is no such session, or the file cannot be written or already exists.
pub fn export(dir: &Path, id: &str, out: Option<&Path>) -> Result<Ending, Failure> {
    let path = &folder(dir, id)?;
    let kept = read(path)?;
    kept.state.plan().validate().map_err(|error| failed(path, &error.into()))?;
    let extension = if is_python(&kept.state.plan().strategy) { "py" } else { "rs" };
    let out = out.map_or_else(|| PathBuf::from(format!("{id}.{extension}")), Path::to_owned);
    let text = champion(path, &kept.state)?;
    let failed = |error: std::io::Error| Failure::usage(format!("failed to write {}: {error}", out.display()));
    let mut file = std::fs::File::create_new(&out).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::usage(format!("{} exists already", out.display())).hint("choose another file with --out")
        }
        _ => failed(error),
    })?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    face::step("Wrote", &out.display().to_string());
    Ok(Ending::Success)
}
