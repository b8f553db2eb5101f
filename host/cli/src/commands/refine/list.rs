//! Sessions that are there: listed, shown, stopped, exported.

use super::workshop::{champion, is_python};
use super::{SESSIONS_MAX, failed, managed, read};
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_files::{Folder, Kind, Links};
use assay_refine::about;
use assay_refine::journal::{JournalError, Kept};
use assay_refine::manage;
use assay_refine::story;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(super) fn status(dir: &Path, json: bool) -> Result<Exit, Failure> {
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
        ui::out(&format!("{:#}", Value::from(all)));
        return Ok(Exit::Success);
    }
    let rows: Vec<Vec<String>> = sessions
        .map(|(id, kept)| match kept {
            Ok(kept) => row(ui::visible(&id), &kept),
            Err(error) => {
                vec![
                    ui::visible(&id),
                    "damaged".to_owned(),
                    String::new(),
                    String::new(),
                    ui::visible(&error.to_string()),
                ]
            }
        })
        .collect();
    ui::out(&ui::left_table(&["session", "status", "generation", "champion", "result"], &rows, 5));
    Ok(Exit::Success)
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

pub(super) fn show(path: &Path, json: bool, after: u64) -> Result<Exit, Failure> {
    let kept = read(path)?;
    if !json {
        ui::out(ui::lines(&story::story(&kept.state)).trim_end());
        return Ok(Exit::Success);
    }
    for event in kept.events.iter().filter(|event| event.seq > after) {
        ui::out(&serde_json::to_string(event).unwrap_or_default());
    }
    Ok(Exit::Success)
}

pub(super) fn hint(path: &Path, text: &str) -> Result<Exit, Failure> {
    manage::hint(path, text, std::process::id()).map_err(|error| managed(path, &error))?;
    ui::step("Noted", "the next candidates hear it");
    Ok(Exit::Success)
}

pub(super) fn stop(path: &Path, id: &str) -> Result<Exit, Failure> {
    let kept = read(path)?;
    if !kept.is_running {
        return Err(Failure::usage(format!("no process is running the session {id}")));
    }
    kept.ask_to_stop().map_err(|error| failed(path, &error))?;
    ui::step("Asked", &format!("{id} to stop; `{}` continues it later", super::resume_command(path)));
    Ok(Exit::Success)
}

/// Writes the champion to `out`; without one, to a file in the current folder that is called as the session is.
pub(super) fn export(path: &Path, id: &str, out: Option<&Path>) -> Result<Exit, Failure> {
    let kept = read(path)?;
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
    ui::step("Wrote", &out.display().to_string());
    Ok(Exit::Success)
}
