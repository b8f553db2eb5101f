//! The index of a trajectory: where each record begins, what it is, and its first words, so that a page reads what it shows and no more.
//!
//! ```text
//! index   header │ row 0 │ row 1 │ …      rows of equal size: row N is found without reading the others
//! ```
//!
//! Invariants: the index lies in the cache, never beside the trajectory; a trajectory only grows, so its index does too, and one whose beginning or last
//! scanned bytes are others, or that was changed without growing, is made anew; only whole lines have rows; memory, time of one request, rows and the cache
//! are bounded whatever the file holds; no byte is scanned twice, and only a long line is read a second time, for its hash; nobody waits for another who
//! extends the same index. The index is a convenience and no evidence: `assay trace verify` checks a file.

use crate::chain::{Break, CHAIN_BYTES, Chain};
use crate::words::{RowKind, words};
use assay_files::Folder;
use assay_trace::Digest;
use serde::Serialize;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, BufReader};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

const MAGIC: &[u8; 8] = b"ASSAYIX3";
const HEADER_BYTES: usize = 192;
const ROW_BYTES: usize = 192;
/// Bytes of a row before its text.
const ROW_HEAD: usize = 24;
const TEXT_BYTES_MAX: usize = ROW_BYTES - ROW_HEAD;
/// Characters of a row's text.
const TEXT_CHARS_MAX: usize = 120;
/// The part of a line that is looked at: a longer one is shown by how it begins.
const LINE_BYTES_SEEN: usize = 256 << 10;
/// The beginning of a file, by which it is known again.
const START_BYTES_MAX: u64 = 512;
/// The end of what has been scanned: of a whole line, it holds the hash.
const END_BYTES_MAX: u64 = 96;
/// Rows that are written at once.
const ROWS_AT_ONCE: usize = 4_096;
/// The longest line that is read.
const LINE_BYTES_MAX: u64 = 64 << 20;
/// How long a request waits while another one begins the same index, and how often it looks.
const WAITS: (u32, Duration) = (20, Duration::from_millis(25));
/// Bytes of all indexes; beyond, those that have not been extended for longest are removed.
const CACHE_BYTES_MAX: u64 = 4 << 30;
const ENDING: &str = ".rows";
/// Indexes that are looked at for that.
const INDEXES_MAX: usize = 200_000;

/// What an index takes at most.
#[derive(Clone, Copy)]
struct Limits {
    rows: u64,
    line_bytes: u64,
    /// Bytes of the trajectory that one request scans; the next one goes on.
    bytes_at_once: u64,
}

const LIMITS: Limits = Limits { rows: 5_000_000, line_bytes: LINE_BYTES_MAX, bytes_at_once: 256 << 20 };

/// How far an index has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reach {
    /// To the end of the file.
    Whole,
    /// Not yet; the next request goes on.
    Behind,
    /// To as many rows as there can be.
    Full,
    /// To a line that is longer than any may be.
    LongLine,
}

/// A record in short.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Row {
    /// Its number, from 0: the line of the file less one.
    pub number: u64,
    /// Where its line begins, in bytes.
    #[serde(skip)]
    pub offset: u64,
    /// How long the line is, without its line feed.
    pub bytes: u32,
    /// The step that it belongs to; 0 before the assistant's first message.
    pub step: u32,
    pub kind: RowKind,
    /// Whether somebody should look at it: an error or a flag.
    pub is_marked: bool,
    /// Its first words. Not trusted.
    pub text: String,
}

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IndexError {
    /// The file system.
    #[error("failed to index the trajectory: {0}")]
    Files(#[from] io::Error),
    /// Another request has just begun it.
    #[error("the trajectory is being indexed")]
    Busy,
}

/// See the module documentation.
pub(crate) struct Index {
    file: File,
    header: Header,
    /// Bytes after the last line that has a row.
    pub rest: u64,
    pub reach: Reach,
    /// Whether somebody has found that records are missing at its end.
    pub is_shortened: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Header {
    rows: u64,
    /// Bytes of the trajectory that have rows.
    bytes: u64,
    step: u32,
    start_bytes: u64,
    inode: u64,
    start: [u8; 32],
    /// Of the end of what has been scanned.
    end: [u8; 32],
    /// Bytes after those, scanned without a line feed.
    tail: u64,
    /// When the trajectory was last changed, in nanoseconds, as it was when it was last scanned.
    changed: i64,
    /// How far its lines follow from each other.
    chain: Chain,
}

impl Index {
    /// The index of a trajectory, brought up to what is in the file now as far as one request may go. `path` names it in the cache.
    pub(crate) fn open(cache: &Path, trajectory: &File, path: &Path) -> Result<Self, IndexError> {
        Self::open_within(LIMITS, cache, trajectory, path)
    }

    fn open_within(limits: Limits, cache: &Path, trajectory: &File, path: &Path) -> Result<Self, IndexError> {
        let folder = Folder::own(cache).map_err(io::Error::from)?;
        let name = format!("{}{ENDING}", &blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex()[..32]);
        let open = || folder.file_to_change(&name, 0o600).map_err(io::Error::from);
        let mut file = open()?;
        // One at a time, over all processes; the lock goes with the open file. Whoever comes second takes what is there.
        let header = if is_locked(&file)? {
            let kept = kept(&file, trajectory);
            let header = match kept {
                Some(header) => header,
                None => {
                    // A reader may be in the middle of the old one, which stays whole for it.
                    if file.metadata()?.len() > 0 {
                        folder.remove_file(&name).map_err(io::Error::from)?;
                        file = open()?;
                        if !is_locked(&file)? {
                            return Err(IndexError::Busy);
                        }
                    }
                    Header::new(trajectory)?
                }
            };
            let extended = extend(&file, header, trajectory, limits)?;
            file.unlock()?;
            if extended.rows / ROWS_AT_ONCE as u64 != header.rows / ROWS_AT_ONCE as u64 || kept.is_none() {
                evict(&folder, &name, CACHE_BYTES_MAX);
            }
            extended
        } else {
            patiently(|| kept(&file, trajectory)).ok_or(IndexError::Busy)?
        };
        let rest = trajectory.metadata()?.len().saturating_sub(header.bytes);
        Ok(Self { file, header, rest, reach: header.reach(rest, limits), is_shortened: false })
    }

    /// How many records there are.
    pub(crate) fn rows(&self) -> u64 {
        self.header.rows
    }

    /// Bytes of the trajectory that they are in.
    pub(crate) fn bytes(&self) -> u64 {
        self.header.bytes
    }

    /// The first record that does not follow from the one before, as far as the index has come, or that is missing at the end.
    pub(crate) fn broken(&self) -> Option<Break> {
        let end = self.is_shortened.then(|| Break { number: self.rows(), is_end: true });
        self.header.chain.broken.map(Break::at).or(end)
    }

    /// The hash of the last record that follows from the one before.
    pub(crate) fn last_hash(&self) -> Digest {
        self.header.chain.hash()
    }

    /// Some rows, fewer at the end.
    pub(crate) fn read(&self, from: u64, count: u64) -> Result<Vec<Row>, IndexError> {
        let count = count.min(self.rows().saturating_sub(from));
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; usize::try_from(count).unwrap_or(0) * ROW_BYTES];
        self.file.read_exact_at(&mut bytes, HEADER_BYTES as u64 + from * ROW_BYTES as u64)?;
        let rows = bytes.chunks_exact(ROW_BYTES).zip(from..);
        Ok(rows.map(|(bytes, number)| Row::from_bytes(number, bytes)).collect())
    }
}

impl Row {
    /// Whether what was read of its line is all of it.
    pub(crate) fn is_whole(&self, line: &[u8]) -> bool {
        line.len() as u64 >= u64::from(self.bytes)
    }
}

/// Reads at most the given number of bytes of a record's line.
pub(crate) fn line_of(trajectory: &File, row: &Row, bytes_max: u64) -> io::Result<Vec<u8>> {
    let length = u64::from(row.bytes).min(bytes_max).min(LINE_BYTES_MAX);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    trajectory.read_exact_at(&mut bytes, row.offset)?;
    Ok(bytes)
}

/// Whether this process has the lock now.
fn is_locked(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn kept(file: &File, trajectory: &File) -> Option<Header> {
    Header::read(file).filter(|header| header.is_of(trajectory).unwrap_or(false))
}

fn patiently<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let (times, pause) = WAITS;
    (0..times).find_map(|_| {
        let found = look();
        if found.is_none() {
            std::thread::sleep(pause);
        }
        found
    })
}

/// Removes the indexes that have not been extended for longest, until the others take no more than `bytes_max`. What cannot be removed stays: it is a cache.
fn evict(folder: &Folder, own: &str, bytes_max: u64) {
    let names = folder.entries(INDEXES_MAX).unwrap_or_default();
    let look = |name: OsString| {
        let found =
            folder.look(&name).ok().flatten().filter(|_| name.as_encoded_bytes().ends_with(ENDING.as_bytes()))?;
        Some((found.modified, found.bytes, name))
    };
    let mut found: Vec<(SystemTime, u64, OsString)> = names.into_iter().filter_map(look).collect();
    found.sort_unstable();
    let mut bytes = found.iter().fold(0_u64, |sum, (_, bytes, _)| sum.saturating_add(*bytes));
    for (_, size, name) in found.iter().filter(|(_, _, name)| name != OsStr::new(own)) {
        if bytes <= bytes_max {
            return;
        }
        if folder.remove_file(name).is_ok() {
            bytes = bytes.saturating_sub(*size);
        }
    }
}

impl Header {
    fn new(trajectory: &File) -> io::Result<Self> {
        let inode = trajectory.metadata()?.ino();
        let (start, end) = (hash(b""), hash(b""));
        let chain = Chain::EMPTY;
        Ok(Self { rows: 0, bytes: 0, step: 0, start_bytes: 0, inode, start, end, tail: 0, changed: 0, chain })
    }

    /// Bytes of the trajectory that have been looked at.
    fn scanned(&self) -> u64 {
        self.bytes.saturating_add(self.tail)
    }

    fn reach(&self, rest: u64, limits: Limits) -> Reach {
        let is_more = rest > self.tail;
        if self.tail > limits.line_bytes {
            Reach::LongLine
        } else if is_more && self.rows >= limits.rows {
            Reach::Full
        } else if is_more {
            Reach::Behind
        } else {
            Reach::Whole
        }
    }

    fn read(file: &File) -> Option<Self> {
        let mut bytes = [0; HEADER_BYTES];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        let digest = |at: usize| <[u8; 32]>::try_from(&bytes[at..at + 32]).unwrap_or_default();
        let header = Self {
            rows: number(8),
            bytes: number(16),
            step: u32::try_from(number(24)).ok()?,
            start_bytes: number(32),
            inode: number(40),
            start: digest(48),
            end: digest(80),
            tail: number(112),
            changed: number(120).cast_signed(),
            chain: Chain::from_bytes(&bytes[128..128 + CHAIN_BYTES].try_into().ok()?),
        };
        let is_whole = file.metadata().ok()?.len()
            >= header.rows.checked_mul(ROW_BYTES as u64)?.checked_add(HEADER_BYTES as u64)?;
        (bytes.starts_with(MAGIC) && is_whole).then_some(header)
    }

    fn write(&self, file: &File) -> io::Result<()> {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        let numbers = [self.rows, self.bytes, u64::from(self.step), self.start_bytes, self.inode];
        for (place, number) in numbers.into_iter().enumerate() {
            bytes[8 + 8 * place..16 + 8 * place].copy_from_slice(&number.to_le_bytes());
        }
        bytes[48..80].copy_from_slice(&self.start);
        bytes[80..112].copy_from_slice(&self.end);
        bytes[112..120].copy_from_slice(&self.tail.to_le_bytes());
        bytes[120..128].copy_from_slice(&self.changed.to_le_bytes());
        bytes[128..128 + CHAIN_BYTES].copy_from_slice(&self.chain.to_bytes());
        file.write_all_at(&bytes, 0)
    }

    /// Whether what it is an index of is what is in the file.
    fn is_of(&self, trajectory: &File) -> io::Result<bool> {
        let metadata = trajectory.metadata()?;
        let is_possible =
            metadata.len() >= self.scanned() && metadata.ino() == self.inode && self.start_bytes <= START_BYTES_MAX;
        // Whoever only appends makes it longer.
        let is_touched = metadata.len() == self.scanned() && changed(&metadata) != self.changed;
        Ok(is_possible
            && !is_touched
            && start_of(trajectory, self.start_bytes)? == self.start
            && end_of(trajectory, self.scanned())? == self.end)
    }
}

/// When a file was last changed, in nanoseconds since 1970.
fn changed(metadata: &Metadata) -> i64 {
    metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec())
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

fn part(trajectory: &File, from: u64, bytes: u64) -> io::Result<[u8; 32]> {
    let mut seen = vec![0; usize::try_from(bytes).unwrap_or(0)];
    trajectory.read_exact_at(&mut seen, from)?;
    Ok(hash(&seen))
}

fn start_of(trajectory: &File, bytes: u64) -> io::Result<[u8; 32]> {
    part(trajectory, 0, bytes)
}

fn end_of(trajectory: &File, bytes: u64) -> io::Result<[u8; 32]> {
    let seen = bytes.min(END_BYTES_MAX);
    part(trajectory, bytes - seen, seen)
}

/// Adds rows for the lines that have come since. The header is written last: until then, new rows do not count.
fn extend(file: &File, mut header: Header, trajectory: &File, limits: Limits) -> io::Result<Header> {
    let metadata = trajectory.metadata()?;
    let (length, before) = (metadata.len(), header);
    if length == header.scanned()
        || matches!(header.reach(length - header.bytes, limits), Reach::Full | Reach::LongLine)
    {
        return Ok(header);
    }
    let mut left = (length - header.scanned()).min(limits.bytes_at_once);
    let mut source = BufReader::with_capacity(1 << 20, Reading { file: trajectory, at: header.scanned() });
    let mut rows = Vec::with_capacity(ROWS_AT_ONCE * ROW_BYTES);
    // The beginning of the line in whose middle the last request ended.
    let mut seen = vec![0; usize::try_from(header.tail).unwrap_or(usize::MAX).min(LINE_BYTES_SEEN)];
    trajectory.read_exact_at(&mut seen, header.bytes)?;
    while header.rows < limits.rows {
        let room = limits.line_bytes.saturating_sub(header.tail).saturating_add(1).min(left);
        let (bytes, is_whole) = scan(&mut source, &mut seen, room)?;
        left -= bytes + u64::from(is_whole);
        let line = header.tail + bytes;
        if !is_whole {
            header.tail = line;
            break;
        }
        let row = describe(&seen, &mut header, line);
        rows.extend_from_slice(&row.to_bytes());
        if header.chain.broken.is_none() {
            // What is seen of a long line is only its beginning.
            let whole = if row.is_whole(&seen) { None } else { Some(line_of(trajectory, &row, LINE_BYTES_MAX)?) };
            header.chain.go_on(row.number, whole.as_deref().unwrap_or(&seen));
        }
        header = Header { rows: header.rows + 1, bytes: header.bytes + line + 1, tail: 0, ..header };
        seen.clear();
        if rows.len() >= ROWS_AT_ONCE * ROW_BYTES {
            flush(file, &header, &mut rows)?;
        }
    }
    flush(file, &header, &mut rows)?;
    if header != before {
        header.start_bytes = header.scanned().min(START_BYTES_MAX);
        header.start = start_of(trajectory, header.start_bytes)?;
        header.end = end_of(trajectory, header.scanned())?;
        header.changed = changed(&metadata);
        header.write(file)?;
    }
    Ok(header)
}

fn describe(seen: &[u8], header: &mut Header, bytes: u64) -> Row {
    let (kind, is_marked, text) = words(seen, seen.len() as u64 == bytes);
    if kind == RowKind::Assistant {
        header.step = header.step.saturating_add(1);
    }
    let (number, offset) = (header.rows, header.bytes);
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    Row { number, offset, bytes, step: header.step, kind, is_marked, text: cut(&text) }
}

fn flush(file: &File, header: &Header, rows: &mut Vec<u8>) -> io::Result<()> {
    let count = (rows.len() / ROW_BYTES) as u64;
    file.write_all_at(rows, HEADER_BYTES as u64 + (header.rows - count) * ROW_BYTES as u64)?;
    rows.clear();
    Ok(())
}

/// A file that is read from a place without moving its own position, which others share.
struct Reading<'a> {
    file: &'a File,
    at: u64,
}

impl io::Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Reads on to the next line feed, at most `left` bytes: how many came before it, and whether it is there. `seen` grows with as much of them as is looked at.
fn scan(source: &mut impl io::BufRead, seen: &mut Vec<u8>, mut left: u64) -> io::Result<(u64, bool)> {
    let mut length = 0_u64;
    loop {
        let buffer = source.fill_buf()?;
        let buffer = &buffer[..buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        if buffer.is_empty() {
            return Ok((length, false));
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        let room = LINE_BYTES_SEEN.saturating_sub(seen.len()).min(part.len());
        seen.extend_from_slice(&part[..room]);
        length += part.len() as u64;
        let used = part.len() + usize::from(end.is_some());
        left -= used as u64;
        source.consume(used);
        if end.is_some() {
            return Ok((length, true));
        }
    }
}

/// The first characters, on one line, in the bytes that a row has.
fn cut(text: &str) -> String {
    let mut out = String::new();
    let on_one_line = text.chars().map(|char| if matches!(char, '\n' | '\r' | '\t') { ' ' } else { char });
    for char in on_one_line.take(TEXT_CHARS_MAX) {
        if out.len() + char.len_utf8() > TEXT_BYTES_MAX {
            break;
        }
        out.push(char);
    }
    out
}

impl Row {
    fn to_bytes(&self) -> [u8; ROW_BYTES] {
        let mut bytes = [0; ROW_BYTES];
        let text = self.text.as_bytes();
        bytes[..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.bytes.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.step.to_le_bytes());
        bytes[16] = RowKind::ALL.iter().position(|kind| *kind == self.kind).unwrap_or(0) as u8;
        bytes[17] = u8::from(self.is_marked);
        // Never more than a row has: `cut`.
        bytes[18] = text.len() as u8;
        bytes[ROW_HEAD..ROW_HEAD + text.len()].copy_from_slice(text);
        bytes
    }

    /// Of a file that may have been changed by anybody: whatever it says is a row.
    fn from_bytes(number: u64, bytes: &[u8]) -> Self {
        let length = usize::from(bytes[18]).min(TEXT_BYTES_MAX);
        Self {
            number,
            offset: u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default()),
            bytes: u32::from_le_bytes(bytes[8..12].try_into().unwrap_or_default()),
            step: u32::from_le_bytes(bytes[12..16].try_into().unwrap_or_default()),
            kind: RowKind::ALL.get(usize::from(bytes[16])).copied().unwrap_or(RowKind::Other),
            is_marked: bytes[17] != 0,
            text: String::from_utf8_lossy(&bytes[ROW_HEAD..ROW_HEAD + length]).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Limits = Limits { rows: 3, line_bytes: 40, bytes_at_once: 32 };

    /// What the requests see, one after the other: rows, bytes beyond them, and how far it has come.
    fn check(text: &str, expected: &[(u64, u64, Reach)]) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.jsonl");
        std::fs::write(&path, text).expect("written");
        let trajectory = File::open(&path).expect("it is there");
        for (request, wanted) in expected.iter().enumerate() {
            let index = Index::open_within(SMALL, &folder.path().join("cache"), &trajectory, &path).expect("an index");
            assert_eq!((index.rows(), index.rest, index.reach), *wanted, "{text:?}, request {request}");
            for row in index.read(0, 10).expect("rows") {
                let line = text.lines().nth(usize::try_from(row.number).expect("small")).expect("a line");
                assert_eq!(line_of(&trajectory, &row, 1_000).expect("a line"), line.as_bytes(), "{text:?}");
            }
        }
    }

    #[test]
    fn every_bound_is_kept_and_told() {
        let long = "x".repeat(36);
        for (text, expected) in [
            ("", &[(0, 0, Reach::Whole)][..]),
            ("{}\n{}\n", &[(2, 0, Reach::Whole); 2]),
            ("{}\n{\"half", &[(1, 6, Reach::Whole); 2]),
            // More bytes than one request scans: the next one goes on, in the middle of a line too.
            (&format!("{{}}\n{long}\n{{}}\n"), &[(1, 40, Reach::Behind), (3, 0, Reach::Whole)]),
            // More rows than there can be.
            ("1\n2\n3\n4\n5\n", &[(3, 4, Reach::Full); 2]),
            // A line without an end is given up.
            (&"y".repeat(100), &[(0, 100, Reach::Behind), (0, 100, Reach::LongLine), (0, 100, Reach::LongLine)]),
            (&format!("{{}}\n{}\n{{}}\n", "z".repeat(60)), &[(1, 64, Reach::Behind), (1, 64, Reach::LongLine)]),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn who_comes_while_another_extends_takes_what_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, cache) = (folder.path().join("t.jsonl"), folder.path().join("cache"));
        std::fs::write(&path, "{}\n").expect("written");
        let trajectory = File::open(&path).expect("it is there");
        let first = Index::open(&cache, &trajectory, &path).expect("an index");
        first.file.lock().expect("locked");
        assert_eq!(Index::open(&cache, &trajectory, &path).expect("the same").rows(), 1);
        // One that is only begun cannot be read.
        first.file.set_len(0).expect("cut");
        assert!(matches!(Index::open(&cache, &trajectory, &path), Err(IndexError::Busy)));
    }

    #[test]
    fn old_indexes_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Folder::own(folder.path()).expect("a folder");
        for (age, name) in ["own.rows", "new.rows", "old.rows"].into_iter().enumerate() {
            cache.write(name, &[0; 100], 0o600).expect("written");
            let at = SystemTime::now() - Duration::from_secs(1_000 * age as u64);
            File::options()
                .write(true)
                .open(folder.path().join(name))
                .and_then(|file| file.set_modified(at))
                .expect("set");
        }
        for (bytes_max, expected) in [(300, 3), (299, 2), (150, 1), (0, 1)] {
            evict(&cache, "own.rows", bytes_max);
            assert_eq!(cache.entries(10).expect("names").len(), expected, "{bytes_max}");
        }
    }
}
