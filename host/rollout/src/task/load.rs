//! From a path to tasks: a task folder, a folder of tasks, an imported task, or rows of a data set.
//!
//! Invariants: tasks come in the order of their ids' files; two with one id are an error; one bad task spoils the whole, for whoever runs half a
//! set by accident compares the wrong numbers.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use assay_files::{Folder, Kind, Links};
use assay_grade::task::{Task, import_line};

use super::error::LoadError;
use super::files::{FILE_BYTES_MAX, not_opened};
use super::{LoadedTask, TASK_ID_RULE, folder, is_task_id};

/// Tasks of one load: ten times the largest data set.
pub const TASKS_MAX: usize = 100_000;

const WHAT_TO_NAME: &str = "name a task folder, a folder of tasks, an imported task (.json) or rows (.jsonl); convert other formats with `assay tasks import`";

/// What a path holds.
pub type LoadedTasks = Vec<LoadedTask>;

/// Loads what `path` holds: a folder with a `task.toml`; a folder of such folders and of imported `*.json` tasks, as `assay tasks import`
/// writes them; one such file; or a file `*.jsonl` of rows of a data set.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn load_tasks(path: &Path) -> Result<LoadedTasks, LoadError> {
    let metadata = path.metadata().map_err(|error| LoadError::new(path, error).hint(WHAT_TO_NAME))?;
    let extension = path.extension().and_then(OsStr::to_str);
    let tasks = if metadata.is_dir() {
        if folder::is_task(path) { vec![folder::load(path, Links::Followed)?] } else { load_folder(path)? }
    } else {
        match extension {
            Some("jsonl") => load_rows(path)?,
            Some("json") => vec![load_imported(path, Links::Followed)?],
            Some("toml") if path.file_name() == Some(OsStr::new(folder::DOCUMENT)) => {
                vec![folder::load(
                    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")),
                    Links::Followed,
                )?]
            }
            _ => {
                return Err(LoadError::new(path, "its name ends in neither .json nor .jsonl").hint(WHAT_TO_NAME));
            }
        }
    };
    refuse_twins(&tasks)?;
    Ok(tasks)
}

fn refuse_twins(tasks: &[LoadedTask]) -> Result<(), LoadError> {
    let mut first: BTreeMap<&str, &Path> = BTreeMap::new();
    for task in tasks {
        if let Some(earlier) = first.insert(task.id(), &task.origin) {
            return Err(LoadError::new(
                &task.origin,
                format!("the id `{}` is already used by {}", task.id(), earlier.display()),
            ));
        }
    }
    Ok(())
}

fn load_folder(path: &Path) -> Result<LoadedTasks, LoadError> {
    let folder = Folder::open(path, Links::Followed).map_err(|error| LoadError::new(path, error))?;
    let entries = folder.entries(TASKS_MAX).map_err(|error| LoadError::new(path, error))?;
    let mut tasks = Vec::new();
    for name in entries {
        let entry = path.join(&name);
        if folder::is_task(&entry) {
            tasks.push(folder::load(&entry, Links::Refused)?);
        } else if entry.extension() == Some(OsStr::new("json")) && !matches!(folder.kind(&name), Ok(Some(Kind::Folder)))
        {
            tasks.push(load_imported(&entry, Links::Refused)?);
        }
    }
    if tasks.is_empty() {
        return Err(LoadError::new(path, "there is no task in it")
            .hint("a task is a folder with a task.toml, or a file .json that `assay tasks import` wrote"));
    }
    Ok(tasks)
}

fn load_imported(path: &Path, links: Links) -> Result<LoadedTask, LoadError> {
    let bytes = assay_files::read(path, links, FILE_BYTES_MAX).map_err(|error| not_opened(path, &error))?;
    let task: Task = serde_json::from_slice(&bytes).map_err(|error| {
        // The text of the error could show a piece of the secret part.
        LoadError::new(
            path,
            format!("line {}: it is not an imported task ({:?} error)", error.line(), error.classify()),
        )
        .hint("import the rows again with `assay tasks import`")
    })?;
    checked(task, path, None)
}

fn checked(task: Task, origin: &Path, row: Option<usize>) -> Result<LoadedTask, LoadError> {
    let id = &task.public.instance_id;
    if is_task_id(id) {
        Ok(LoadedTask::from_row(task, origin.to_owned()))
    } else {
        let row = row.map(|row| format!("row {row}: ")).unwrap_or_default();
        let why = format!("{row}the id `{}` is not a valid file name", id.escape_debug());
        Err(LoadError::new(origin, why).hint(format!("an id has {TASK_ID_RULE}")))
    }
}

fn load_rows(path: &Path) -> Result<LoadedTasks, LoadError> {
    let failed = |error: &dyn std::fmt::Display| LoadError::new(path, error);
    let mut source = BufReader::new(assay_files::open(path, Links::Followed).map_err(|error| failed(&error))?);
    let mut tasks = Vec::new();
    for row in 1.. {
        let mut line = Vec::new();
        let read =
            source.by_ref().take(FILE_BYTES_MAX + 1).read_until(b'\n', &mut line).map_err(|error| failed(&error))?;
        if read == 0 {
            break;
        }
        if line.len() as u64 > FILE_BYTES_MAX {
            return Err(failed(&format!("row {row} has more than {FILE_BYTES_MAX} bytes")));
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let task = import_line(row, &line).map_err(|error| failed(&error))?;
        tasks.push(checked(task, path, Some(row))?);
        if tasks.len() > TASKS_MAX {
            return Err(failed(&format!("it has more than {TASKS_MAX} rows")));
        }
    }
    if tasks.is_empty() { Err(failed(&"it has no rows")) } else { Ok(tasks) }
}
