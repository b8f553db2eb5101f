//! Reading: everything up to the first line that is not whole and valid, and word of what is wrong there.

use super::head::Head;
use super::line::{self, FILE_BYTES_MAX, FirstLineError, LINE_BYTES_MAX, LineError};
use crate::digest::Digest;
use crate::identifier::MessageId;
use crate::metadata::Metadata;
use crate::trajectory::{DuplicateMessageId, Record, Trajectory};
use crate::verdict::Verdict;
use crate::weight::{MEMBER_BYTES, MEMORY_BYTES_MAX};
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, BufRead, Read as _, Seek, SeekFrom};
use thiserror::Error;

/// How much is read at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// Bytes of one line, its line feed included.
    pub line_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of memory that what is held may need, as [`weight`](crate::weight()) estimates it; without, as many as it takes.
    pub memory_bytes: Option<u64>,
}

impl ReadLimits {
    /// What the writer keeps to. For files that this process has written itself: what is small on disk may need any memory.
    pub const STANDARD: Self = Self { line_bytes: LINE_BYTES_MAX, file_bytes: FILE_BYTES_MAX, memory_bytes: None };
    /// For files of others: what the writer keeps to, in bounded memory.
    pub const BOUNDED: Self = Self { memory_bytes: Some(MEMORY_BYTES_MAX), ..Self::STANDARD };
}

/// A trajectory as far as its file is whole, with what is wrong beyond.
#[derive(Clone, PartialEq, Debug)]
pub struct Loaded {
    /// Everything up to the last whole valid line.
    pub trajectory: Trajectory,
    /// Where that line ends.
    pub head: Head,
    /// What comes after it, if not the file's end.
    pub damage: Option<Damage>,
    /// What the trajectory needs of the memory that it was read within; 0 where that was without limit.
    pub memory_bytes: u64,
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The first line that is not whole and valid, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub loss: Loss,
}

/// What is wrong with the first bad line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Loss {
    /// The file ends within it, as after a crash.
    Cut {
        /// The bytes that are lost.
        bytes: u64,
    },
    /// It is whole, but wrong. Nothing from it on is loaded.
    Invalid(LineError),
}

impl Damage {
    /// Whether it is no more than what a crash leaves behind, so that the file may be resumed.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        matches!(self.loss, Loss::Cut { .. })
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.loss {
            Loss::Cut { bytes } => {
                write!(f, "the file ends in the middle of line {}: {bytes} bytes are lost", self.line)
            }
            Loss::Invalid(error) => write!(f, "line {}: {error}; nothing from there on is loaded", self.line),
        }
    }
}

/// Why nothing of a file can be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The bytes did not come.
    #[error("failed to read the trajectory")]
    Io(#[from] io::Error),
    /// There is no whole first line: the episode crashed as it began, or the file is something else.
    #[error("the file has no complete line, only {bytes} bytes")]
    NoLine {
        /// How many bytes there are.
        bytes: u64,
    },
    /// The first line is not sealed as ours are.
    #[error("the file is not a trajectory: line 1: {0}")]
    NotSealed(LineError),
    /// The first line is sealed, but not one we can read.
    #[error("the file is not a readable trajectory: {0}")]
    NotReadable(#[from] FirstLineError),
    /// What is held would need more memory than the limits allow. That is no damage.
    #[error("up to line {line}, it needs more than {limit} bytes of memory")]
    NeedsMemory {
        /// The line, from 1, for which there is no room.
        line: u64,
        /// The limit.
        limit: u64,
    },
}

/// Reads a file in [bounded memory](ReadLimits::BOUNDED): it may be anybody's.
///
/// # Errors
/// As [`read_with_limits`].
pub fn read(source: impl BufRead) -> Result<Loaded, ReadError> {
    read_with_limits(source, ReadLimits::BOUNDED)
}

/// Reads a file.
///
/// # Errors
/// The bytes do not come, already the first line is not ours, or what is held needs too much memory.
pub fn read_with_limits(source: impl BufRead, limits: ReadLimits) -> Result<Loaded, ReadError> {
    let begin = |metadata, _: Digest| Trajectory::new(metadata);
    let Scanned { kept, head, damage, memory_bytes } = scan(source, limits, begin, |trajectory, record, line| {
        trajectory.push(record).map_err(|error| LineError::NoRecord { why: error.to_string() })?;
        Ok(line.memory_bytes)
    })?;
    Ok(Loaded { trajectory: kept, head, damage, memory_bytes })
}

/// What there is to say of a file without keeping what is in it.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified {
    /// The first line.
    pub metadata: Metadata,
    /// Messages up to the last whole valid line.
    pub messages: u64,
    /// Events up to there.
    pub events: u64,
    /// The last verdict up to there.
    pub verdict: Option<Verdict>,
    /// Where that line ends.
    pub head: Head,
    /// What comes after it, if not the file's end.
    pub damage: Option<Damage>,
}

/// Checks every line of a file in [bounded memory](ReadLimits::BOUNDED), as [`verify_with_limits`] does.
///
/// # Errors
/// As [`verify_with_limits`].
pub fn verify(source: impl BufRead) -> Result<Verified, ReadError> {
    verify_with_limits(source, ReadLimits::BOUNDED)
}

/// Checks every line of a file as [`read_with_limits`] does, but holds no more than one at a time, and the messages' ids.
///
/// # Errors
/// The bytes do not come, already the first line is not ours, or what is held needs too much memory.
pub fn verify_with_limits(source: impl BufRead, limits: ReadLimits) -> Result<Verified, ReadError> {
    struct Counts {
        metadata: Metadata,
        ids: BTreeSet<MessageId>,
        events: u64,
        verdict: Option<Verdict>,
    }
    let begin = |metadata, _: Digest| Counts { metadata, ids: BTreeSet::new(), events: 0, verdict: None };
    let scanned = scan(source, limits, begin, |counts, record, _| {
        match record {
            Record::Message(message) => {
                let id = message.id().clone();
                if !counts.ids.insert(id.clone()) {
                    return Err(LineError::NoRecord { why: DuplicateMessageId { id }.to_string() });
                }
                return Ok(id.as_str().len() as u64 + MEMBER_BYTES);
            }
            Record::Event(_) => counts.events += 1,
            Record::Verdict(verdict) => counts.verdict = Some(verdict),
        }
        Ok(0)
    })?;
    let Scanned { kept: Counts { metadata, ids, events, verdict }, head, damage, .. } = scanned;
    Ok(Verified { metadata, messages: ids.len() as u64, events, verdict, head, damage })
}

/// Whether a file still has the line with this hash, which was its last one once: it was not shortened since, and what was appended is whole.
/// Where that line is the last one and short, only the file's end is read and checked against the hash; otherwise every line is checked as [`verify`] does.
///
/// # Errors
/// The bytes do not come, already the first line is not ours, or a line needs too much memory.
pub fn still_holds(mut source: impl BufRead + Seek, hash: Digest) -> Result<bool, ReadError> {
    if last_line(&mut source, hash, |_| Some(()))?.is_some() {
        return Ok(true);
    }
    source.seek(SeekFrom::Start(0))?;
    let scanned = scan(
        source,
        ReadLimits::BOUNDED,
        |_, first| first == hash,
        |is_found, _, line| {
            *is_found |= line.hash == hash;
            Ok(0)
        },
    )?;
    Ok(scanned.kept && scanned.damage.is_none())
}

/// The verdict, if any, that counted when the line with this hash was a file's last one; nothing where the file has no such line. Where that line is the
/// last one and a verdict, only the file's end is read and checked against the hash; otherwise every line is checked as [`verify`] does.
///
/// # Errors
/// The bytes do not come, already the first line is not ours, or a line needs too much memory.
pub fn verdict_at(mut source: impl BufRead + Seek, hash: Digest) -> Result<Option<Option<Verdict>>, ReadError> {
    let verdict = |sealed: line::SealedLine<'_>| match sealed.record(1) {
        Ok(Record::Verdict(verdict)) => Some(verdict),
        _ => None,
    };
    if let Some(verdict) = last_line(&mut source, hash, verdict)? {
        return Ok(Some(Some(verdict)));
    }
    source.seek(SeekFrom::Start(0))?;
    let scanned = scan(
        source,
        ReadLimits::BOUNDED,
        |_, first| (None, first == hash),
        |kept: &mut (Option<Verdict>, bool), record, line| {
            if let (Record::Verdict(verdict), false) = (record, kept.1) {
                kept.0 = Some(verdict);
            }
            kept.1 |= line.hash == hash;
            Ok(0)
        },
    )?;
    let (verdict, is_found) = scanned.kept;
    Ok(is_found.then_some(verdict))
}

/// What `take` makes of the last line of a file, where that is short and has this hash. The line before it only lends its hash: that of the last vouches for
/// both.
fn last_line<T>(
    source: &mut (impl BufRead + Seek),
    hash: Digest,
    take: impl FnOnce(line::SealedLine<'_>) -> Option<T>,
) -> io::Result<Option<T>> {
    let bytes = source.seek(SeekFrom::End(0))?;
    source.seek(SeekFrom::Start(bytes.saturating_sub(LAST_BYTES_MAX)))?;
    let mut end = Vec::new();
    source.by_ref().take(LAST_BYTES_MAX).read_to_end(&mut end)?;
    if end.pop() != Some(b'\n') {
        return Ok(None);
    }
    let mut lines = end.rsplit(|byte| *byte == b'\n');
    let (Some(last), Some(before)) = (lines.next(), lines.next()) else { return Ok(None) };
    let sealed = line::stated(before).and_then(|(_, previous)| line::open_seal(last, previous));
    Ok(sealed.ok().filter(|sealed| sealed.hash == hash).and_then(take))
}

/// Bytes of the end of a file in which its last line is looked for first: a verdict has some hundred parts.
const LAST_BYTES_MAX: u64 = 16 << 10;

struct Scanned<T> {
    kept: T,
    head: Head,
    damage: Option<Damage>,
    memory_bytes: u64,
}

/// What is known of a record's line.
#[derive(Clone, Copy)]
struct Weighed {
    hash: Digest,
    /// What the record takes in memory; 0 without a limit.
    memory_bytes: u64,
}

/// Hands over the first line with its hash, then the records one by one, up to the first line that is not whole and valid, or that `take` refuses. `take`
/// says how much memory it keeps of each.
fn scan<T>(
    mut source: impl BufRead,
    limits: ReadLimits,
    begin: impl FnOnce(Metadata, Digest) -> T,
    mut take: impl FnMut(&mut T, Record, Weighed) -> Result<u64, LineError>,
) -> Result<Scanned<T>, ReadError> {
    let first = match next_line(&mut source, limits, 0)? {
        Next::Line(line) => line,
        Next::End => return Err(ReadError::NoLine { bytes: 0 }),
        Next::Bad(Loss::Cut { bytes }) => return Err(ReadError::NoLine { bytes }),
        Next::Bad(Loss::Invalid(error)) => return Err(ReadError::NotSealed(error)),
    };
    let sealed = line::open_seal(&first, Digest::ZERO).map_err(ReadError::NotSealed)?;
    let mut held = memory_bytes(&sealed, limits, 0);
    no_more_than(held, limits, 1)?;
    let mut kept = begin(sealed.metadata()?, sealed.hash);
    let mut head = Head { lines: 1, bytes: first.len() as u64 + 1, hash: sealed.hash };
    let mut messages = 0;
    let loss = loop {
        let line = match next_line(&mut source, limits, head.bytes)? {
            Next::Line(line) => line,
            Next::End => return Ok(Scanned { kept, head, damage: None, memory_bytes: held }),
            Next::Bad(loss) => break loss,
        };
        let sealed = match line::open_seal(&line, head.hash) {
            Ok(sealed) => sealed,
            Err(error) => break Loss::Invalid(error),
        };
        let memory_bytes = memory_bytes(&sealed, limits, held);
        no_more_than(held + memory_bytes, limits, head.lines + 1)?;
        let taken = sealed.record(messages + 1).and_then(|record| {
            messages += usize::from(matches!(record, Record::Message(_)));
            take(&mut kept, record, Weighed { hash: sealed.hash, memory_bytes })
        });
        match taken {
            Ok(more) => held += more,
            Err(error) => break Loss::Invalid(error),
        }
        head = Head { lines: head.lines + 1, bytes: head.bytes + line.len() as u64 + 1, hash: sealed.hash };
    };
    let damage = Some(Damage { line: head.lines + 1, loss });
    Ok(Scanned { kept, head, damage, memory_bytes: held })
}

/// What a line's record takes in memory beside what is held; 0 without a limit.
fn memory_bytes(sealed: &line::SealedLine<'_>, limits: ReadLimits, held: u64) -> u64 {
    limits.memory_bytes.map_or(0, |limit| sealed.memory_bytes(limit.saturating_sub(held)))
}

fn no_more_than(bytes: u64, limits: ReadLimits, line: u64) -> Result<(), ReadError> {
    match limits.memory_bytes {
        Some(limit) if bytes > limit => Err(ReadError::NeedsMemory { line, limit }),
        _ => Ok(()),
    }
}

enum Next {
    /// A line, without its line feed.
    Line(Vec<u8>),
    End,
    Bad(Loss),
}

/// The next line, of which no more is held than the limits allow.
fn next_line(source: &mut impl BufRead, limits: ReadLimits, read_already: u64) -> io::Result<Next> {
    let room_in_file = limits.file_bytes.saturating_sub(read_already);
    let mut line = Vec::new();
    loop {
        let buffer = match source.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        if buffer.is_empty() {
            return Ok(if line.is_empty() { Next::End } else { Next::Bad(Loss::Cut { bytes: line.len() as u64 }) });
        }
        let (taken, ended) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(position) => (position + 1, true),
            None => (buffer.len(), false),
        };
        line.extend_from_slice(&buffer[..taken]);
        source.consume(taken);
        let bytes = line.len() as u64;
        if bytes > room_in_file {
            return Ok(Next::Bad(Loss::Invalid(LineError::FileTooLarge { limit: limits.file_bytes })));
        }
        if bytes > limits.line_bytes {
            return Ok(Next::Bad(Loss::Invalid(LineError::TooLong { limit: limits.line_bytes })));
        }
        if ended {
            line.pop();
            return Ok(Next::Line(line));
        }
    }
}
