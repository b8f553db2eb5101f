//! The files of a bug-fix episode after a step: made again by a command where the tasks are at hand, and otherwise the patch that the record ends with.
//!
//! Invariants: nothing is written but caches; neither a model nor a test is asked; of the trajectory, one record is read.

use super::step::At;
use super::{Problem, View};
use crate::id::ItemId;
use crate::index::{Index, line_of};
use crate::library::{Library, What};
use crate::pages::Frame;
use crate::pages::files::{self as page, FILES, Shown};
use crate::pages::step::Told;
use crate::starting::Work;
use crate::words::RowKind;
use assay_work::episodes::FilesQuestion;
use assay_work::offers::Kind;
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
    let kinds = (&[What::Rollout, What::Trajectories, What::Damaged][..], Kind::Tasks);
    let at = At::find(library, work, id, kinds, question.step)?;
    let tasks = at.chosen(question.tasks.as_deref(), |_| None);
    let told = match (work, tasks) {
        (Some(work), Some(tasks)) => at.made_again(library, work, "the files", |episode| {
            let (tasks, file) = (tasks.path(), question.file.clone());
            FilesQuestion { episode, tasks, step: at.step, file }.words()
        })?,
        _ => Told::Unknown,
    };
    let patch = if let Told::View(_) = told { None } else { recorded(&at.file, &at.index)? };
    Ok(show(&Shown { at: at.shown(&FILES, tasks)?, wanted: question.file.as_deref(), told, patch }))
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
