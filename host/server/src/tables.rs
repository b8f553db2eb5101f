//! The tables of a run: those that lie beside its report in a folder. The store has none, so a run of the store has the tables of a folder with the same record.
//!
//! Invariants: records are the same only byte by byte, and tables whose `data.json` speaks of another run are passed over; tables are opened by our own names, not by those in a
//! folder, and links are not followed.

use crate::library::{Found, Library, What};
use crate::recording::{DATA, manifest_of};
use assay_data::{TABLES, Table};
use assay_files::OpenError;
use std::fs::File;

/// A table and its file.
pub(crate) type TableOfRun = (&'static Table, File);

/// The tables beside the report in a folder. Blocks on files.
pub(crate) fn beside(found: &Found) -> Result<Vec<TableOfRun>, OpenError> {
    let folder = match found.open().and_then(|folder| folder.folder(DATA)) {
        Ok(folder) => folder,
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let open = |table: &&'static Table| Some((*table, folder.file(table.file_name()).ok()?));
    Ok(TABLES.iter().filter_map(open).collect())
}

/// The tables of a run of the store, by the bytes of its record: of the newest folder that has both, and whose tables say that they are of that run. Blocks
/// on files.
pub(crate) fn of_record(library: &Library, record: &[u8]) -> Result<Vec<TableOfRun>, OpenError> {
    let Ok(name) = assay_report::read(record).map(|record| record.data_name()) else { return Ok(Vec::new()) };
    let is_its = |found: &Found| {
        let data = found.open().and_then(|folder| folder.folder(DATA)).ok();
        data.and_then(|data| manifest_of(&data)).is_none_or(|manifest| manifest.run == name)
    };
    let mut failed = None;
    for found in library.scan().of(What::Report).filter(|found| has_record(found, record) && is_its(found)) {
        match beside(found) {
            Ok(tables) if tables.is_empty() => {}
            Ok(tables) => return Ok(tables),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or_else(|| Ok(Vec::new()), Err)
}

/// Whether the report in a folder has this record. Most others have another length and are not read.
fn has_record(found: &Found, record: &[u8]) -> bool {
    let bytes = record.len() as u64;
    let read = || {
        let folder = found.open().ok()?;
        let is_as_long = folder.look("run.json").ok()??.bytes == bytes;
        Some(is_as_long && folder.read("run.json", bytes).ok()? == record)
    };
    read().unwrap_or(false)
}
