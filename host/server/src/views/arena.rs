//! The record of an arena in a folder.

use super::{FILE_BYTES_MAX, Problem, View};
use crate::id::FolderId;
use crate::library::{ARENA, Library, What};
use crate::pages::{Frame, arena as page};
use assay_evaluate::{ARENA_SCHEMA_NAME, ARENA_SCHEMA_VERSION, ArenaRecord};

/// The page of an arena.
pub(crate) fn arena(frame: Frame<'_>, library: &Library, id: FolderId) -> View {
    let (name, record) = record(library, id)?;
    Ok(page::page(frame, &name, &record))
}

/// The name of the folder of an arena, and its record.
pub(crate) fn record(library: &Library, id: FolderId) -> Result<(String, ArenaRecord), Problem> {
    let found = super::folder(library, id, &[What::Arena])?;
    let read = found.open().and_then(|folder| folder.read(ARENA, FILE_BYTES_MAX));
    let bytes = read.map_err(|error| Problem::of_file(ARENA, &error))?;
    super::known(&bytes, (ARENA_SCHEMA_NAME, ARENA_SCHEMA_VERSION), ARENA)?;
    let record: ArenaRecord = serde_json::from_slice(&bytes).map_err(|error| {
        Problem::unreadable(ARENA, format!("it is damaged, or of another version of Assay: {error}"))
    })?;
    Ok((found.name, record))
}
