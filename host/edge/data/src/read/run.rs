//! The folder of a run, its manifest, and the files that the manifest names.

use super::{Place, ReadError};
use crate::files::PARTIAL;
use crate::manifest::{MANIFEST, Manifest};
use crate::schema::{Column, Kind, SCHEMA_NAME, SCHEMA_VERSION, TABLES, Table};
use arrow::datatypes::{DataType, Fields};
use assay_files::{Links, OpenError};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// A run's record, beside which its data lies.
const RECORD: &str = "run.json";
/// The folder of the data in that of a run.
const FOLDER: &str = "data";
/// A manifest longer than this is none: it would have a million seeds.
const MANIFEST_BYTES_MAX: u64 = 32 << 20;

/// A finished recording of a run.
#[derive(Clone, Debug)]
pub struct RunData {
    folder: PathBuf,
    manifest: Manifest,
}

impl RunData {
    /// Where the data of the run in `run` goes.
    #[must_use]
    pub fn folder_of(run: &Path) -> PathBuf {
        run.join(FOLDER)
    }

    /// The data of a run, named by its folder or its run.json. Files are looked at when they are asked for.
    ///
    /// # Errors
    /// [`ReadError`] if there is no run, no data, or no manifest that can be read.
    pub fn open(run: &Path) -> Result<Self, ReadError> {
        let is_record = run.file_name().is_some_and(|name| name == RECORD);
        let run = if is_record { run.parent().unwrap_or(Path::new("")) } else { run };
        let folder = Self::folder_of(run);
        let path = folder.join(MANIFEST);
        let place = || Place::file(&path);
        let text = match assay_files::read_text(&path, Links::Refused, MANIFEST_BYTES_MAX) {
            Ok(text) => text,
            Err(OpenError::Missing | OpenError::NotAFolder) => {
                return Err(match () {
                    () if has_partial_files(&folder) => ReadError::Unfinished { path: folder },
                    () if !run.join(RECORD).is_file() => ReadError::NoRun { path: run.to_owned() },
                    () => ReadError::NoData { path: run.to_owned() },
                });
            }
            Err(error) => return Err(ReadError::wrong(place(), "a manifest", error)),
        };
        let manifest: Manifest =
            serde_json::from_str(&text).map_err(|error| ReadError::wrong(place(), "a manifest", error))?;
        let major = |version: &str| version.split('.').next().map(str::to_owned);
        if manifest.schema != SCHEMA_NAME || major(&manifest.version) != major(SCHEMA_VERSION) {
            let found = format!("{} {}", manifest.schema, manifest.version);
            return Err(ReadError::Version { path, found, expected: format!("{SCHEMA_NAME} {SCHEMA_VERSION}") });
        }
        Ok(Self { folder, manifest })
    }

    /// Where the files are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What there is.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The tables that the manifest names, with their rows.
    pub fn tables(&self) -> impl Iterator<Item = (&'static Table, u64)> + '_ {
        let rows = |table: &Table| self.manifest.tables.iter().find(|entry| entry.table == table.name);
        TABLES.iter().filter_map(move |table| Some((*table, rows(table)?.rows)))
    }

    /// The file of a table, in this run's folder and nowhere else.
    #[must_use]
    pub fn path(&self, table: &Table) -> PathBuf {
        // Not the manifest's word: that may name anything.
        self.folder.join(table.file_name())
    }

    /// The same, after a look at its footer and columns.
    ///
    /// # Errors
    /// [`ReadError::Wrong`] if the file is not there, is truncated or foreign, or lacks a column.
    pub fn checked(&self, table: &Table) -> Result<PathBuf, ReadError> {
        let path = self.path(table);
        let is_plain = fs::symlink_metadata(&path).map(|metadata| metadata.is_file());
        if let Ok(false) = is_plain {
            return Err(ReadError::wrong(Place::file(path), "a plain file", "something else"));
        }
        let footer = footer(&path, ArrowReaderOptions::new())?;
        check_columns(&path, &footer, table.columns)?;
        self.check_bytes(table, &path)?;
        Ok(path)
    }

    /// Sees to it that the file is the one that was recorded: a bit that has flipped since may still give an answer, and a wrong one.
    fn check_bytes(&self, table: &Table, path: &Path) -> Result<(), ReadError> {
        let Some(entry) = self.manifest.tables.iter().find(|entry| entry.table == table.name) else { return Ok(()) };
        let unreadable = |error: std::io::Error| ReadError::wrong(Place::file(path), "the recorded file", error);
        let mut hasher = blake3::Hasher::new();
        let file = assay_files::open(path, Links::Refused).map_err(std::io::Error::from).map_err(unreadable)?;
        hasher.update_reader(file).map_err(unreadable)?;
        if hasher.finalize().to_hex().as_str() != entry.hash {
            return Err(ReadError::wrong(Place::file(path), "the bytes that were recorded", "others"));
        }
        Ok(())
    }
}

fn has_partial_files(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| Path::new(&entry.file_name()).extension().is_some_and(|end| end == PARTIAL))
}

/// The columns that a Parquet file has.
///
/// # Errors
/// [`ReadError`] if the file is missing, no plain file, or damaged.
pub fn columns(path: &Path) -> Result<Fields, ReadError> {
    Ok(footer(path, ArrowReaderOptions::new())?.schema().fields().clone())
}

/// The footer of a Parquet file.
pub(super) fn footer(path: &Path, options: ArrowReaderOptions) -> Result<ArrowReaderMetadata, ReadError> {
    footer_of(&opened(path)?, path, options)
}

/// A file that somebody has named.
pub(super) fn opened(path: &Path) -> Result<File, ReadError> {
    assay_files::open(path, Links::Followed).map_err(|error| match error {
        OpenError::Missing => ReadError::wrong(Place::file(path), "a Parquet file", "no such file"),
        error => ReadError::wrong(Place::file(path), "a Parquet file", error),
    })
}

/// The footer of an open file.
pub(super) fn footer_of(
    file: &File,
    path: &Path,
    options: ArrowReaderOptions,
) -> Result<ArrowReaderMetadata, ReadError> {
    let wrong = |found: &dyn std::fmt::Display| ReadError::wrong(Place::file(path), "a whole Parquet file", found);
    // Some damaged footers make their decoder panic.
    match catch_unwind(AssertUnwindSafe(|| ArrowReaderMetadata::load(file, options))) {
        Ok(footer) => footer.map_err(|error| wrong(&error)),
        Err(_) => Err(wrong(&"a damaged footer")),
    }
}

/// Sees to it that the file has these columns.
pub(crate) fn check_columns(path: &Path, footer: &ArrowReaderMetadata, columns: &[Column]) -> Result<(), ReadError> {
    for column in columns {
        let expected = column.type_name();
        match footer.schema().field_with_name(column.name) {
            Err(_) => return Err(ReadError::wrong(Place::column(path, column.name), expected, "no such column")),
            Ok(field) if !is_like(column.kind, field.data_type()) => {
                return Err(ReadError::wrong(Place::column(path, column.name), expected, field.data_type()));
            }
            Ok(_) => {}
        }
    }
    Ok(())
}

/// Whether a column of this type can be taken for one of this kind: other tools write the same in other widths.
fn is_like(kind: Kind, found: &DataType) -> bool {
    match (kind, found) {
        (Kind::Label | Kind::Name(_) | Kind::Text, DataType::Dictionary(_, value)) => is_like(kind, value),
        (Kind::Label | Kind::Name(_) | Kind::Text, found) => {
            matches!(found, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
        }
        (Kind::Integer | Kind::Seed, found) => found.is_integer(),
        (Kind::Number, found) => found.is_floating(),
        (Kind::Time, found) => matches!(found, DataType::Timestamp(_, _)),
    }
}
