//! An append-only file of lines, each chained to all before it.
//!
//! ```text
//! <BLAKE3 of the chain before it and the text> <text>\n
//! ```
//!
//! Invariants: what was appended is never changed; a line is there whole or not at all, for one that a crash cut short has no line end and is dropped, and
//! anything else behind the last line is damage; two processes take turns, under a lock on the file; what is read is bounded. A changed, removed or
//! reordered line is found, but for lines cut off at the end: whoever publishes the [`head`](Journal::head) can find those too. It is not a signature: who
//! can write the file can write a new chain.

use crate::StoreError;
use assay_files::Links;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Separates these chains from every other use of the hash; part of the format.
const CONTEXT: &str = "assay.store 1 journal";
/// A longer file is none of ours.
const BYTES_MAX: u64 = 1 << 30;
/// A longer line is none of ours: the longest are results in a thousand seeds.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// Characters of a hash.
const HEAD_CHARS: usize = 64;
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
        let made = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
        let synced = made.map_err(|error| not_writable(path, &error))?.sync_all();
        synced.map_err(|error| {
            let _ = std::fs::remove_file(path);
            not_writable(path, &error)
        })
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
        let Read { lines, head, end, .. } = read(path, &file)?;
        Ok(Self { path: path.to_owned(), file, lines, head, end })
    }

    /// The lines and the head of a journal, without a lock, and how many bytes of a line that is being written, or that a crash cut short, follow: of
    /// those nothing is seen.
    ///
    /// # Errors
    /// It is not there, cannot be read, or is not what was written.
    pub fn read(path: &Path) -> Result<(Vec<String>, String, u64), StoreError> {
        let file = assay_files::open(path, Links::Followed).map_err(|error| missing(path, &error.into()))?;
        read(path, &file).map(|Read { lines, head, unfinished, .. }| (lines, head, unfinished))
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
    /// The text has a control character, such as a line end, or is too long, or the file cannot be written.
    pub fn append(&mut self, text: &str) -> Result<(), StoreError> {
        let failed = |error: std::io::Error| not_writable(&self.path, &error);
        if !is_plain(text) {
            return Err(failed(std::io::Error::other("a control character within a line")));
        }
        let head = chain(&self.head, text);
        let line = format!("{head} {text}\n");
        if line.len() as u64 > LINE_BYTES_MAX {
            return Err(failed(std::io::Error::other("a line that is too long")));
        }
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
    unfinished: u64,
}

fn read(path: &Path, file: &File) -> Result<Read, StoreError> {
    let damaged = |why: String| StoreError::Damaged { place: path.display().to_string(), why };
    let mut input = BufReader::new(file);
    let mut read = Read { lines: Vec::new(), head: "0".repeat(HEAD_CHARS), end: 0, unfinished: 0 };
    let mut line = Vec::new();
    loop {
        line.clear();
        let taken = input.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line);
        taken.map_err(|error| not_writable(path, &error))?;
        let number = read.lines.len() + 1;
        if line.len() as u64 > LINE_BYTES_MAX {
            return Err(damaged(format!("line {number} has more than {LINE_BYTES_MAX} bytes")));
        }
        let Some(whole) = line.strip_suffix(b"\n") else { break };
        read.end += line.len() as u64;
        if read.end > BYTES_MAX {
            return Err(damaged(format!("it has more than {BYTES_MAX} bytes")));
        }
        let text = std::str::from_utf8(whole).map_err(|_| damaged("it is not UTF-8".to_owned()))?;
        let (head, text) = text.split_once(' ').unwrap_or_default();
        if head != chain(&read.head, text) {
            return Err(damaged(format!("line {number} was changed, or a line before it is missing")));
        }
        head.clone_into(&mut read.head);
        read.lines.push(text.to_owned());
    }
    if !is_cut_short(&line) {
        return Err(damaged(format!("what follows line {} is not the beginning of a line", read.lines.len())));
    }
    read.unfinished = line.len() as u64;
    Ok(read)
}

/// Whether a text can stand in a line.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte >= b' ')
}

/// Whether these bytes are how a line of ours may begin, the last character not being whole perhaps.
fn is_cut_short(bytes: &[u8]) -> bool {
    let (head, rest) = bytes.split_at(bytes.len().min(HEAD_CHARS));
    let text = match std::str::from_utf8(rest) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&rest[..error.valid_up_to()]).ok(),
        Err(_) => None,
    };
    head.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && text.is_some_and(|text| is_plain(text) && (text.is_empty() || text.starts_with(' ')))
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
