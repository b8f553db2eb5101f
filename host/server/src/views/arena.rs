//! The record of an arena in a folder.

use super::{FILE_BYTES_MAX, Problem, View};
use crate::id::FolderId;
use crate::library::{ARENA, Library, What};
use crate::pages::{Frame, arena as page};
use assay_evaluate::ArenaRecord;

pub(crate) fn arena(frame: Frame<'_>, library: &Library, id: FolderId) -> View {
    let found = super::folder(library, id, &[What::Arena])?;
    let read = found.open().and_then(|folder| folder.read(ARENA, FILE_BYTES_MAX));
    let bytes = read.map_err(|error| Problem::of_file(ARENA, &error))?;
    let record: ArenaRecord = serde_json::from_slice(&bytes).map_err(|error| {
        Problem::unreadable(ARENA, format!("it is damaged, or of another version of Assay: {error}"))
    })?;
    Ok(page::page(frame, &found.name, &record))
}
