//! Writing: every batch of lines is on disk before the call returns.

use super::head::Head;
use super::line::{self, FILE_BYTES_MAX, LINE_BYTES_MAX};
use super::reader::Loaded;
use crate::digest::Digest;
use crate::identifier::MessageId;
use crate::metadata::Metadata;
use crate::trajectory::{DuplicateMessageId, Record};
use crate::verdict::Verdict;
use std::collections::BTreeSet;
use std::io::{self, Write};
use thiserror::Error;

/// Where a trajectory is written: a file, as seen by code that must not know files.
pub trait Durable: Write {
    /// Returns when everything written is where a power cut cannot reach it (`fsync`).
    ///
    /// # Errors
    /// It may not have got there.
    fn sync(&mut self) -> io::Result<()>;

    /// Shortens the file to its first `bytes` bytes and goes on writing there.
    ///
    /// # Errors
    /// The file cannot be shortened.
    fn truncate(&mut self, bytes: u64) -> io::Result<()>;
}

/// Why something was not written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The file could not be written or synced. What is in it now is not known.
    #[error("failed to write the trajectory")]
    Io(#[from] io::Error),
    /// An earlier write failed; read the file and resume it.
    #[error("an earlier write failed, so the file's end is unknown: read it and resume")]
    Poisoned,
    /// The record would not be read back as it is. Nothing was written.
    #[error("the record cannot be stored: {why}")]
    Unstorable {
        /// Why.
        why: String,
    },
    /// The file to resume is damaged in the middle, and cutting it there would destroy what may be evidence.
    #[error("the file is damaged before its end and cannot be resumed: {damage}")]
    Damaged {
        /// Where and how.
        damage: String,
    },
}

/// Appends to one file.
#[derive(Debug)]
pub struct Writer<D> {
    sink: D,
    head: Head,
    /// The ids of the messages so far, so that none is written twice.
    message_ids: BTreeSet<MessageId>,
    poisoned: bool,
}

impl<D: Durable> Writer<D> {
    /// Begins a file, which must be empty, with its first line, and returns when that is durable.
    ///
    /// # Errors
    /// The line cannot be written, or the metadata would not be read back.
    pub fn create(sink: D, metadata: &Metadata) -> Result<Self, WriteError> {
        let (bytes, hash) = line::write_metadata(metadata).map_err(unstorable)?;
        let read_back = line::open_seal(&bytes[..bytes.len() - 1], Digest::ZERO).map_err(unstorable)?.metadata();
        if read_back.map_err(unstorable)? != *metadata {
            return Err(unstorable("it would be read back as something else"));
        }
        let mut writer = Self {
            sink,
            head: Head { lines: 0, bytes: 0, hash: Digest::ZERO },
            message_ids: BTreeSet::new(),
            poisoned: false,
        };
        writer.commit(&bytes, 1, hash)?;
        Ok(writer)
    }

    /// Goes on with a file that was read: what a crash left half-written at its end is cut off first.
    ///
    /// # Errors
    /// The file is damaged elsewhere than at its end, or cannot be shortened.
    pub fn resume(mut sink: D, loaded: &Loaded) -> Result<Self, WriteError> {
        if let Some(damage) = &loaded.damage
            && !damage.is_cut()
        {
            return Err(WriteError::Damaged { damage: damage.to_string() });
        }
        sink.truncate(loaded.head.bytes)?;
        sink.sync()?;
        let message_ids = loaded.trajectory.messages().map(|message| message.id().clone()).collect();
        Ok(Self { sink, head: loaded.head, message_ids, poisoned: false })
    }

    /// Appends the records of one step and returns when all are durable. After a crash in between, a file holds the first few of them.
    ///
    /// # Errors
    /// Nothing was written if a record is [unstorable](WriteError::Unstorable). After any other error the writer writes no more.
    pub fn append(&mut self, records: &[Record]) -> Result<(), WriteError> {
        if self.poisoned {
            return Err(WriteError::Poisoned);
        }
        let (mut bytes, mut hash, mut new_ids) = (Vec::new(), self.head.hash, BTreeSet::new());
        for record in records {
            if let Record::Message(message) = record
                && (self.message_ids.contains(message.id()) || !new_ids.insert(message.id().clone()))
            {
                return Err(unstorable(DuplicateMessageId { id: message.id().clone() }));
            }
            let (line, next) = stored(record, hash)?;
            bytes.extend_from_slice(&line);
            hash = next;
        }
        if self.head.bytes + bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(unstorable(format!("the file would be larger than {FILE_BYTES_MAX} bytes")));
        }
        self.commit(&bytes, records.len() as u64, hash)?;
        // Not `append`, which builds the whole set anew.
        self.message_ids.extend(new_ids);
        Ok(())
    }

    fn commit(&mut self, bytes: &[u8], lines: u64, hash: Digest) -> Result<(), WriteError> {
        self.poisoned = true;
        self.sink.write_all(bytes)?;
        self.sink.flush()?;
        self.sink.sync()?;
        self.poisoned = false;
        self.head = Head { lines: self.head.lines + lines, bytes: self.head.bytes + bytes.len() as u64, hash };
        Ok(())
    }

    /// Where the file stands.
    #[must_use]
    pub const fn head(&self) -> Head {
        self.head
    }

    /// The file.
    pub fn into_sink(self) -> D {
        self.sink
    }
}

/// Appends a new verdict to a file that was read. The earlier ones stay; the last one counts.
///
/// # Errors
/// As [`Writer::resume`] and [`Writer::append`].
pub fn rescore<D: Durable>(sink: D, loaded: &Loaded, verdict: Verdict) -> Result<Head, WriteError> {
    let mut writer = Writer::resume(sink, loaded)?;
    writer.append(&[verdict.into()])?;
    Ok(writer.head())
}

/// The record's line and hash. What cannot be read must not be written, for one such line would cost all that follow it.
fn stored(record: &Record, previous: Digest) -> Result<(Vec<u8>, Digest), WriteError> {
    let (line, hash) = line::write_record(record, previous).map_err(unstorable)?;
    if line.len() as u64 > LINE_BYTES_MAX {
        return Err(unstorable(format!("a line of {} bytes, at most {LINE_BYTES_MAX}", line.len())));
    }
    // Every message has its id by now, so its position does not matter.
    let read_back = line::open_seal(&line[..line.len() - 1], previous).and_then(|sealed| sealed.record(0));
    if read_back.map_err(unstorable)? == *record {
        Ok((line, hash))
    } else {
        Err(unstorable("it would be read back as something else"))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`, which gives values")]
fn unstorable(why: impl ToString) -> WriteError {
    WriteError::Unstorable { why: why.to_string() }
}
