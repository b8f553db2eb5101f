//! The files of a recording while it is written: one a table, appended to a row group at a time, whole or not there.
//!
//! Invariants: the folder is not a link, nothing in it is written through one, and what somebody else has put there stays; a file has its name only once every byte of it is on the disk; until then it is called `.partial`. Row groups come in
//! whatever order episodes finish; the footer lists them by seed and episode, so what is read does not depend on the number of threads.

use crate::encode::EncodedGroup;
use crate::error::WriteError;
use crate::manifest::{MANIFEST, Manifest, TableFile};
use crate::schema::{SCHEMA_NAME, SCHEMA_VERSION, TABLES, Table};
use crate::tables::Schemas;
use assay_evaluate::EpisodeKind;
use assay_files::{Existing, Folder, Links, OpenError};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::writer::TrackedWrite;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};

/// What a file is called until it is whole.
pub const PARTIAL: &str = "partial";
/// Bytes gathered before they are hashed and written.
const BUFFER_BYTES: usize = 256 << 10;
/// Bytes in which a file says whose it is: in a footer the names come after the row groups.
const LOOK_BYTES: u64 = 64 << 10;
const MAGIC: &[u8] = b"PAR1";
/// Of the Parquet format: that in which timestamps may be in nanoseconds.
const FORMAT_VERSION: i32 = 2;

/// Where a row group belongs: its seed and episode.
pub(crate) type Place = (u64, Option<EpisodeKind>);

/// Hashes what it writes.
struct Hashing {
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Write for Hashing {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        self.hasher.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A table's file.
struct Writing {
    table: &'static Table,
    /// For messages.
    path: PathBuf,
    out: io::BufWriter<Hashing>,
    offset: u64,
    rows: usize,
    groups: Vec<(Place, RowGroupMetaData)>,
}

impl Writing {
    fn create(folder: &Folder, table: &'static Table) -> Result<Self, WriteError> {
        let name = partial(&table.file_name());
        let path = folder.path().join(&name);
        let file = folder.new_file(&name, 0o644).map_err(WriteError::io("create", &path))?;
        let hashing = Hashing { file, hasher: blake3::Hasher::new(), bytes: 0 };
        let mut out = io::BufWriter::with_capacity(BUFFER_BYTES, hashing);
        out.write_all(MAGIC).map_err(WriteError::io("write", &path))?;
        Ok(Self { table, path, out, offset: MAGIC.len() as u64, rows: 0, groups: Vec::new() })
    }

    fn append(&mut self, place: Place, group: EncodedGroup, schemas: &Schemas) -> Result<(), WriteError> {
        if group.rows == 0 {
            return Ok(());
        }
        let (mut columns, mut uncompressed) = (Vec::with_capacity(group.chunks.len()), 0);
        for chunk in group.chunks {
            self.out.write_all(&chunk.bytes).map_err(WriteError::io("write", &self.path))?;
            uncompressed += chunk.metadata.uncompressed_size();
            columns.push(moved(chunk.metadata, self.offset as i64)?);
            self.offset += chunk.bytes.len() as u64;
        }
        let metadata = RowGroupMetaData::builder(schemas.of(self.table).clone())
            .set_num_rows(group.rows as i64)
            .set_total_byte_size(uncompressed)
            .set_column_metadata(columns)
            .build()?;
        self.rows += group.rows;
        self.groups.push((place, metadata));
        Ok(())
    }

    /// Writes the footer and everything that is still held back.
    fn complete(&mut self, run: &str, schemas: &Schemas) -> Result<(), WriteError> {
        self.groups.sort_by_key(|(place, _)| *place);
        let groups = std::mem::take(&mut self.groups)
            .into_iter()
            .zip(0..)
            .map(|((_, group), ordinal)| group.into_builder().set_ordinal(ordinal).build());
        let groups = groups.collect::<Result<Vec<_>, _>>()?;
        let pair = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
        let pairs = vec![
            pair("assay.schema", SCHEMA_NAME.to_owned()),
            pair("assay.version", SCHEMA_VERSION.to_owned()),
            pair("assay.table", self.table.name.to_owned()),
            pair("assay.run", run.to_owned()),
            pair(ARROW_SCHEMA_META_KEY, encode_arrow_schema(&self.table.arrow())),
        ];
        let made_by = format!("assay {}", env!("CARGO_PKG_VERSION"));
        let schema = schemas.of(self.table).clone();
        let file = FileMetaData::new(FORMAT_VERSION, self.rows as i64, Some(made_by), Some(pairs), schema, None);
        let metadata = ParquetMetaData::new(file, groups);
        ParquetMetaDataWriter::new_with_tracked(TrackedWrite::new(&mut self.out), &metadata).finish()?;
        self.out.flush().map_err(WriteError::io("write", &self.path))
    }

    /// Waits until the disk has it.
    fn sync(&self) -> Result<(), WriteError> {
        self.out.get_ref().file.sync_all().map_err(WriteError::io("write", &self.path))
    }

    fn entry(&self) -> TableFile {
        let Hashing { hasher, bytes, .. } = self.out.get_ref();
        TableFile {
            table: self.table.name.to_owned(),
            file: self.table.file_name(),
            rows: self.rows as u64,
            bytes: *bytes,
            hash: hasher.finalize().to_hex().to_string(),
        }
    }
}

/// The chunk's metadata, with offsets counted from the beginning of a file in which it begins at `by`.
fn moved(metadata: ColumnChunkMetaData, by: i64) -> Result<ColumnChunkMetaData, WriteError> {
    let (data, dictionary) = (metadata.data_page_offset(), metadata.dictionary_page_offset());
    let builder = metadata.into_builder().set_data_page_offset(data + by);
    Ok(builder.set_dictionary_page_offset(dictionary.map(|offset| offset + by)).build()?)
}

fn partial(name: &str) -> String {
    format!("{name}.{PARTIAL}")
}

/// The files of one recording.
pub(crate) struct Files {
    folder: Folder,
    files: Vec<Writing>,
    seeds: Vec<u64>,
}

impl Files {
    /// Makes the folder, takes away what an earlier recording left in it, and opens a file for each table.
    pub(crate) fn create(folder: &Path) -> Result<Self, WriteError> {
        let folder = Folder::make(folder).map_err(WriteError::io("create", folder))?;
        clear(&folder)?;
        let files = TABLES.iter().map(|table| Writing::create(&folder, table)).collect::<Result<_, _>>()?;
        Ok(Self { folder, files, seeds: Vec::new() })
    }

    /// Appends what belongs to one place, in tables that have it.
    pub(crate) fn append(
        &mut self,
        place: Place,
        groups: Vec<(&'static Table, EncodedGroup)>,
        schemas: &Schemas,
    ) -> Result<(), WriteError> {
        for (table, group) in groups {
            let file = self.files.iter_mut().find(|file| file.table.name == table.name);
            file.expect("every table has a file").append(place, group, schemas)?;
        }
        Ok(())
    }

    /// A seed is complete.
    pub(crate) fn seed_done(&mut self, seed: u64) {
        self.seeds.push(seed);
    }

    /// Completes the files, gives them their names once they are on the disk, and writes the manifest.
    pub(crate) fn finish(mut self, run: &str, symbol: &str, schemas: &Schemas) -> Result<Manifest, WriteError> {
        if let Err(failure) = self.complete(run, schemas) {
            self.abandon();
            return Err(failure);
        }
        self.seeds.sort_unstable();
        let entries = self.files.iter().map(Writing::entry).collect();
        let manifest = Manifest::new(run, symbol, std::mem::take(&mut self.seeds), entries);
        self.name(&manifest).inspect_err(|_| self.take_names_back())?;
        Ok(manifest)
    }

    fn complete(&mut self, run: &str, schemas: &Schemas) -> Result<(), WriteError> {
        for file in &mut self.files {
            file.complete(run, schemas)?;
        }
        // All at once: each waits for the disk, not for the processor.
        std::thread::scope(|scope| {
            let waits: Vec<_> = self.files.iter().map(|file| scope.spawn(|| file.sync())).collect();
            waits.into_iter().try_for_each(|wait| wait.join().unwrap_or(Err(WriteError::Panicked)))
        })
    }

    /// Gives the room back that the files take, which others may need on a full disk. They stay, partial and empty.
    pub(crate) fn abandon(self) {
        for file in self.files {
            // What is still held back goes with the buffer.
            let (hashing, _) = file.out.into_parts();
            // Nothing more can be done about a failure, and the recording has failed already.
            let _ = hashing.file.set_len(0);
        }
    }

    fn name(&self, manifest: &Manifest) -> Result<(), WriteError> {
        for file in &self.files {
            let name = file.table.file_name();
            self.folder.rename(&partial(&name), &name).map_err(WriteError::io("rename", &file.path))?;
        }
        let write = || {
            let mut draft = self.folder.draft(0o644)?;
            serde_json::to_writer_pretty(&mut draft, manifest)?;
            draft.write_all(b"\n")?;
            draft.file().sync_all()?;
            draft.name(OsStr::new(MANIFEST), Existing::Replaced)?;
            self.folder.sync()
        };
        write().map_err(WriteError::io("write", self.folder.path().join(MANIFEST)))
    }

    /// A table without a manifest is not offered, and must not look as if it were.
    fn take_names_back(&self) {
        for file in &self.files {
            let name = file.table.file_name();
            // What cannot be renamed now either is left: the error that is reported already says that the recording failed.
            let _ = self.folder.rename(&name, &partial(&name));
        }
    }
}

/// Sees to it that a folder holds nobody else's data, and is not a link to where such data may be.
///
/// # Errors
/// [`WriteError::Taken`] if it does, [`WriteError::Io`] if it is one.
pub fn check_folder(folder: &Path) -> Result<(), WriteError> {
    match Folder::open(folder, Links::Refused) {
        Ok(folder) => check(&folder),
        Err(OpenError::Missing) => Ok(()),
        Err(error) => Err(WriteError::io("use", folder)(error.into())),
    }
}

fn check(folder: &Folder) -> Result<(), WriteError> {
    let tables = TABLES.iter().map(|table| table.file_name());
    for name in [MANIFEST.to_owned()].into_iter().chain(tables) {
        let is_ours = match folder.file(&name) {
            Ok(mut file) => says_ours(&mut file, name == MANIFEST),
            Err(OpenError::Missing) => continue,
            Err(_) => false,
        };
        if !is_ours {
            return Err(WriteError::Taken { path: folder.path().join(name) });
        }
    }
    Ok(())
}

/// Whether a file names our schema where we write it: at the beginning of a manifest, at the end of a table.
fn says_ours(file: &mut File, is_manifest: bool) -> bool {
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let from = if is_manifest { 0 } else { length.saturating_sub(LOOK_BYTES) };
    let mut bytes = Vec::new();
    let read = file.seek(io::SeekFrom::Start(from)).and_then(|_| file.take(LOOK_BYTES).read_to_end(&mut bytes));
    read.is_ok() && bytes.windows(SCHEMA_NAME.len()).any(|window| window == SCHEMA_NAME.as_bytes())
}

/// Takes away what a recording, finished or not, has left in a folder; the manifest first.
///
/// # Errors
/// [`WriteError::Taken`] if something there is somebody else's; then nothing is touched.
pub fn remove(folder: &Path) -> Result<(), WriteError> {
    match Folder::open(folder, Links::Refused) {
        Ok(folder) => clear(&folder),
        Err(OpenError::Missing) => Ok(()),
        Err(error) => Err(WriteError::io("use", folder)(error.into())),
    }
}

fn clear(folder: &Folder) -> Result<(), WriteError> {
    check(folder)?;
    let names = TABLES.iter().map(|table| table.file_name());
    for name in [MANIFEST.to_owned()].into_iter().chain(names) {
        for name in [partial(&name), name] {
            let failed = |error: OpenError| WriteError::io("remove", folder.path().join(&name))(error.into());
            folder.remove_file(&name).map_err(failed)?;
        }
    }
    Ok(())
}
