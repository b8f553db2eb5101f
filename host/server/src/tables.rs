//! The tables of a run: those that lie beside its report in a folder. The store has none, so a run of the store has the tables of a folder with the same record.
//!
//! Invariants: records are the same only byte by byte, and nobody is shown tables that say that they are of another run, or that were changed since: lengths are
//! looked at before tables are listed, hashes before one is handed out. Tables are opened by our own names, not by those in a folder, and links are not followed.

use crate::library::{Found, Library, What};
use crate::recording::{DATA, changed, foreign};
use assay_data::{TABLES, Table};
use assay_evaluate::RunRecord;
use assay_files::Folder;
use std::fs::File;

/// Bytes of the record of a run.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// The tables of a run in their folder; none without one.
#[derive(Default)]
pub(crate) struct Tables {
    data: Option<Folder>,
    /// Those that there are.
    pub all: Vec<&'static Table>,
}

impl Tables {
    /// Bytes of one of them.
    pub(crate) fn bytes(&self, table: &Table) -> u64 {
        let file = self.data.as_ref().and_then(|data| data.file(table.file_name()).ok());
        file.and_then(|file| file.metadata().ok()).map_or(0, |metadata| metadata.len())
    }

    /// Opens the one of a name, if there is one. Reads it once.
    ///
    /// # Errors
    /// It was changed since it was written.
    pub(crate) fn open(&self, name: &str) -> Result<Option<File>, String> {
        let table = self.all.iter().find(|table| table.name == name);
        let Some((data, table)) = self.data.as_ref().zip(table) else { return Ok(None) };
        match changed(data, table) {
            Some(why) => Err(why),
            None => data.file(table.file_name()).map(Some).map_err(|error| format!("{}: {error}", table.file_name())),
        }
    }
}

/// The tables beside the report in a folder. Blocks on files.
///
/// # Errors
/// Why they are not shown: they cannot be opened, or are not those of the report.
pub(crate) fn beside(found: &Found) -> Result<Tables, String> {
    let bytes = found.open().and_then(|folder| folder.read("run.json", RECORD_BYTES_MAX));
    let bytes = bytes.map_err(|error| format!("run.json: {error}"))?;
    let record = assay_report::read(&bytes).map_err(|error| format!("run.json: {error}"))?;
    of_folder(found, &record)
}

fn of_folder(found: &Found, record: &RunRecord) -> Result<Tables, String> {
    let data = match found.open().and_then(|folder| folder.folder(DATA)) {
        Ok(data) => data,
        Err(error) if error.is_missing() => return Ok(Tables::default()),
        Err(error) => return Err(format!("{DATA}: {error}")),
    };
    let all: Vec<&'static Table> = TABLES.into_iter().filter(|table| data.file(table.file_name()).is_ok()).collect();
    if all.is_empty() {
        return Ok(Tables::default());
    }
    match foreign(&data, &all, record) {
        Some(why) => Err(why),
        None => Ok(Tables { data: Some(data), all }),
    }
}

/// The tables of a run of the store, by the bytes of its record: of the newest folder that has both. Blocks on files.
///
/// # Errors
/// As [`beside`], where no folder has its tables.
pub(crate) fn of_record(library: &Library, bytes: &[u8]) -> Result<Tables, String> {
    let Ok(record) = assay_report::read(bytes) else { return Ok(Tables::default()) };
    let mut failed = None;
    for found in library.scan().of(What::Report).filter(|found| has_record(found, bytes)) {
        match of_folder(found, &record) {
            Ok(tables) if tables.all.is_empty() => {}
            Ok(tables) => return Ok(tables),
            Err(why) => failed = failed.or(Some(why)),
        }
    }
    failed.map_or_else(|| Ok(Tables::default()), Err)
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
