//! An append-only file of lines, each chained to all before it.
//!
//! ```text
//! <BLAKE3 of the chain before it and the text> <text>\n
//! ```
//!
//! Invariants: what was appended is never changed; a line is there whole or not at all, for one that a crash cut short has no line end and is dropped; two
//! processes take turns, under a lock on the file. A changed, removed or reordered line is found, but for lines cut off at the end: whoever
//! publishes the [`head`](Journal::head) can find those too. It is not a signature: who can write the file can write a new chain.

use crate::StoreError;
use assay_files::Links;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Separates these chains from every other use of the hash; part of the format.
const CONTEXT: &str = "assay.store 1 journal";
/// A longer file is none of ours.
const BYTES_MAX: u64 = 1 << 30;
/// Between two looks at a lock that another process holds.
const LOCK_LOOK: Duration = Duration::from_millis(20);

/// Who may read a new journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Readers {
    /// Whoever may read the folder.
    Everybody,
    /// The owner.
    Owner,
}

/// An open journal. Nobody else can append to it meanwhile.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    lines: Vec<String>,
    head: String,
    /// Where the next line begins.
    end: u64,
}

impl Journal {
    /// Makes an empty journal. One that is there is not touched.
    ///
    /// # Errors
    /// It is there, or cannot be written.
    pub fn create(path: &Path, readers: Readers) -> Result<(), StoreError> {
        let mode = match readers {
            Readers::Everybody => 0o644,
            Readers::Owner => 0o600,
        };
        let made =
            OpenOptions::new().write(true).create_new(true).mode(mode).open(path).and_then(|file| file.sync_all());
        made.map_err(|error| not_writable(path, &error))
    }

    /// Opens a journal to append to it, waiting so long for another process.
    ///
    /// # Errors
    /// It is not there, cannot be written, is held by another process, or is not what was written.
    pub fn open(path: &Path, wait: Duration) -> Result<Self, StoreError> {
        let (folder, name) = assay_files::beside(path).map_err(|error| missing(path, &error))?;
        let file = folder.existing_file_to_change(name).map_err(|error| missing(path, &error.into()))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if began.elapsed() < wait => std::thread::sleep(LOCK_LOOK),
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::Locked { place: path.display().to_string(), waited: wait });
                }
                Err(TryLockError::Error(error)) => return Err(not_writable(path, &error)),
            }
        }
        let Read { lines, head, end } = read(path, &file)?;
        Ok(Self { path: path.to_owned(), file, lines, head, end })
    }

    /// The lines and the head of a journal, without a lock: of a line that is being written nothing is seen.
    ///
    /// # Errors
    /// It is not there, cannot be read, or is not what was written.
    pub fn read(path: &Path) -> Result<(Vec<String>, String), StoreError> {
        let file = assay_files::open(path, Links::Followed).map_err(|error| missing(path, &error.into()))?;
        read(path, &file).map(|Read { lines, head, .. }| (lines, head))
    }

    /// The texts, oldest first.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The chain over all lines; 64 zeros for none.
    #[must_use]
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Appends a text and sees to it that it is on the disk.
    ///
    /// # Errors
    /// The text has a line end, or the file cannot be written.
    pub fn append(&mut self, text: &str) -> Result<(), StoreError> {
        let failed = |error: std::io::Error| not_writable(&self.path, &error);
        if text.contains('\n') {
            return Err(failed(std::io::Error::other("a line end within a line")));
        }
        let head = chain(&self.head, text);
        let line = format!("{head} {text}\n");
        // What a crash left of a line goes.
        self.file.set_len(self.end).map_err(failed)?;
        self.file.seek(SeekFrom::Start(self.end)).map_err(failed)?;
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data()).map_err(failed)?;
        self.end += line.len() as u64;
        self.lines.push(text.to_owned());
        self.head = head;
        Ok(())
    }
}

struct Read {
    lines: Vec<String>,
    head: String,
    end: u64,
}

fn read(path: &Path, file: &File) -> Result<Read, StoreError> {
    let damaged = |why: String| StoreError::Damaged { place: path.display().to_string(), why };
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| not_writable(path, &error))?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(damaged(format!("it has more than {BYTES_MAX} bytes")));
    }
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let text = std::str::from_utf8(&bytes[..end]).map_err(|_| damaged("it is not UTF-8".to_owned()))?;
    let mut read = Read { lines: Vec::new(), head: "0".repeat(64), end: end as u64 };
    for (index, line) in text.lines().enumerate() {
        let (head, text) = line.split_once(' ').unwrap_or_default();
        if head != chain(&read.head, text) {
            return Err(damaged(format!("line {} was changed, or a line before it is missing", index + 1)));
        }
        head.clone_into(&mut read.head);
        read.lines.push(text.to_owned());
    }
    Ok(read)
}

fn chain(head: &str, text: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    hasher.update(head.as_bytes()).update(text.as_bytes());
    hasher.finalize().to_string()
}

fn not_writable(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::NotWritable { place: path.display().to_string(), why: error.to_string() }
}

fn missing(path: &Path, error: &std::io::Error) -> StoreError {
    match error.kind() {
        std::io::ErrorKind::NotFound => StoreError::Missing { place: path.display().to_string() },
        _ => not_writable(path, error),
    }
}
