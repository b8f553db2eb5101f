//! Sessions that are there: listed, shown, stopped, exported.

use super::workshop::champion;
use super::{SESSIONS_MAX, failed, managed, read};
use crate::exit::{Exit, Failure};
use crate::ui;
use assay_files::{Folder, Kind, Links};
use assay_refine::journal::Kept;
use assay_refine::manage;
use assay_refine::story;
use std::io::Write as _;
use std::path::Path;

pub(super) fn status(dir: &Path) -> Result<Exit, Failure> {
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
    let mut rows = Vec::new();
    for name in names {
        let id = ui::visible(&name.to_string_lossy());
        rows.push(match Kept::read(&dir.join(&name)) {
            Ok(kept) => row(id, &kept),
            Err(error) => vec![id, "damaged".to_owned(), String::new(), String::new(), ui::visible(&error.to_string())],
        });
    }
    ui::out(&ui::left_table(&["session", "status", "generation", "champion", "result"], &rows, 5));
    Ok(Exit::Success)
}

fn row(id: String, kept: &Kept) -> Vec<String> {
    let state = &kept.state;
    let status = match (state.ended(), kept.is_running) {
        (Some(_), _) => "done",
        (None, true) => "running",
        (None, false) => "interrupted",
    };
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
    ui::step("Asked", &format!("{id} to stop; `assay refine resume {id}` continues it later"));
    Ok(Exit::Success)
}

pub(super) fn export(path: &Path, out: &Path) -> Result<Exit, Failure> {
    let kept = read(path)?;
    let text = champion(path, &kept.state)?;
    let failed = |error: std::io::Error| Failure::usage(format!("failed to write {}: {error}", out.display()));
    let mut file = std::fs::File::create_new(out).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    ui::step("Wrote", &out.display().to_string());
    Ok(Exit::Success)
}
