//! The files of a bug-fix episode after a step: made again by a command where the tasks are at hand, and otherwise the patch that the record ends with.
//!
//! Invariants: nothing is written but caches; neither a model nor a test is asked; of the trajectory, one record is read.

use super::records::broken_in;
use super::{Problem, View, folder, indexed, last_step, repeated};
use crate::id::ItemId;
use crate::index::{Index, line_of};
use crate::library::{Library, What};
use crate::pages::Frame;
use crate::pages::files::{self as page, FILES, Shown};
use crate::pages::step::{Step, Told};
use crate::starting::Work;
use crate::words::RowKind;
use assay_rollout::files::FilesView;
use assay_work::episodes::FilesQuestion;
use assay_work::offers::{Kind, Offer};
use serde::Deserialize;
use std::fs::File;

/// Rows at the end of a trajectory among which its patch is looked for.
const ROWS_LOOKED_AT: u64 = 200;
/// Bytes of the record of a patch.
const PATCH_BYTES_MAX: u64 = 8 << 20;

/// What the address asks for.
pub(crate) struct Question {
    /// After which step; none for the last.
    pub step: Option<u64>,
    /// The offered tasks of the run.
    pub tasks: Option<String>,
    /// The file whose text is shown.
    pub file: Option<String>,
}

/// The page.
pub(crate) fn files(
    frame: Frame<'_>,
    library: &Library,
    work: Option<&Work>,
    id: &ItemId,
    question: &Question,
) -> View {
    told(library, work, id, question, |shown| page::page(frame, shown))
}

/// The same, shown as `show` does.
pub(crate) fn told<T>(
    library: &Library,
    work: Option<&Work>,
    id: &ItemId,
    question: &Question,
    show: impl FnOnce(&Shown<'_>) -> T,
) -> Result<T, Problem> {
    folder(library, id.folder, &[What::Rollout, What::Trajectories, What::Damaged])?;
    let (file, index) = indexed(library, id)?;
    let steps = last_step(&index)?;
    let step = question.step.unwrap_or(steps).min(steps);
    let offers: Vec<Offer> = work.map_or_else(Vec::new, |work| {
        work.offers.list().into_iter().filter(|offer| offer.kind == Kind::Tasks).collect()
    });
    let named = question.tasks.as_deref().filter(|named| !named.is_empty());
    let tasks = match named {
        Some(named) => offers.iter().find(|offer| offer.id.to_string() == named),
        None => offers.first().filter(|_| offers.len() == 1),
    };
    let told = match (work, tasks) {
        (Some(work), Some(tasks)) => ask(library, work, id, tasks, (step, question))?,
        _ => Told::Unknown,
    };
    let patch = if let Told::View(_) = told { None } else { recorded(&file, &index)? };
    let chosen = tasks.map(|tasks| tasks.id.to_string());
    let broken = broken_in(&file, &index).map_err(|error| Problem::of_index(&error))?;
    let at = Step { kind: &FILES, id, step, steps, offers: &offers, chosen, broken };
    Ok(show(&Shown { at, wanted: question.file.as_deref(), told, patch }))
}

/// Has the steps made again.
fn ask(
    library: &Library,
    work: &Work,
    id: &ItemId,
    tasks: &Offer,
    (step, question): (u64, &Question),
) -> Result<Told<FilesView>, Problem> {
    let opened = library.trajectory(id).ok_or_else(Problem::nothing)?;
    let (_, episode) = opened.map_err(|error| Problem::of_file("the trajectory", &error))?;
    let words = FilesQuestion { episode, tasks: tasks.path(), step, file: question.file.clone() }.words();
    Ok(match repeated(work, &words, "the files")? {
        Ok(view) => Told::View(Box::new(view)),
        Err(refused) => Told::Refused(refused),
    })
}

#[derive(Deserialize)]
struct Record {
    body: Body,
}

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    patch: Option<String>,
}

/// The patch that the record ends with: what the episode changed in all.
fn recorded(file: &File, index: &Index) -> Result<Option<String>, Problem> {
    let from = index.rows().saturating_sub(ROWS_LOOKED_AT);
    let rows = index.read(from, ROWS_LOOKED_AT).map_err(|error| Problem::of_index(&error))?;
    let is_patch = |row: &&crate::index::Row| row.kind == RowKind::Event && row.text == "patch";
    let Some(row) = rows.iter().rev().find(is_patch) else { return Ok(None) };
    if u64::from(row.bytes) > PATCH_BYTES_MAX {
        return Ok(None);
    }
    let line = line_of(file, row, PATCH_BYTES_MAX).map_err(|error| Problem::unreadable("the trajectory", error))?;
    Ok(serde_json::from_slice::<Record>(&line).ok().and_then(|record| record.body.patch))
}
