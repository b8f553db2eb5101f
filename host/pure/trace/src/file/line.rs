//! One line: from a record to sealed bytes and back.

use crate::digest::Digest;
use crate::event::Event;
use crate::message::{Message, MessageRecord};
use crate::metadata::{FORMAT, FormatClaim, Metadata, MetadataError};
use crate::trajectory::Record;
use crate::verdict::Verdict;
use crate::weight::weight;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use thiserror::Error;

/// The longest line, its line feed included: room for a message with several images, and a bound on what a reader must hold at once.
pub const LINE_BYTES_MAX: u64 = 64 << 20;
/// The largest file: a day-long episode with images.
pub const FILE_BYTES_MAX: u64 = 4 << 30;

const SEAL_OPEN: &[u8] = b",\"_hash\":\"";
const SEAL_CLOSE: &[u8] = b"\"}";
/// How long the end of a line with its hash is, without the line feed.
pub const SEAL_BYTES: usize = SEAL_OPEN.len() + 64 + SEAL_CLOSE.len();

/// What is wrong with a whole line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LineError {
    /// It does not end with a hash.
    #[error("the line does not end with its `_hash`")]
    NoHash,
    /// Its hash does not follow from its bytes and the line before.
    #[error(
        "the line's hash does not follow from the line before: a line was changed, moved, removed or inserted here"
    )]
    BrokenChain,
    /// It is not a record that we know.
    #[error("the line's hash is right, but its record is not valid: {why}")]
    NoRecord {
        /// What is wrong with it.
        why: String,
    },
    /// It is longer than is read.
    #[error("the line is longer than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: u64,
    },
    /// It would make the file larger than is read.
    #[error("the file is larger than {limit} bytes")]
    FileTooLarge {
        /// The limit.
        limit: u64,
    },
}

/// The fields of a line without its seal: `{"_type":"…",…`, without the closing brace.
fn open_line(kind: &str, record: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = format!("{{\"_type\":\"{kind}\",").into_bytes();
    let fields = serde_json::to_vec(record)?;
    // Every record is an object with at least one field, so what lies between its braces is not empty.
    bytes.extend_from_slice(&fields[1..fields.len() - 1]);
    Ok(bytes)
}

/// Seals a line and gives it with the hash that the next one builds on.
fn seal(mut open: Vec<u8>, previous: Digest) -> (Vec<u8>, Digest) {
    let hash = Digest::chained(previous, &open);
    open.extend(seal_of(hash));
    (open, hash)
}

/// How a line with this hash ends, its line feed included.
pub(super) fn seal_of(hash: Digest) -> Vec<u8> {
    [SEAL_OPEN, hash.to_string().as_bytes(), SEAL_CLOSE, b"\n"].concat()
}

/// The first line of a file, with its hash.
pub(super) fn write_metadata(metadata: &Metadata) -> serde_json::Result<(Vec<u8>, Digest)> {
    Ok(seal(open_line("metadata", metadata)?, Digest::ZERO))
}

/// A further line of a file, with its hash.
pub(super) fn write_record(record: &Record, previous: Digest) -> serde_json::Result<(Vec<u8>, Digest)> {
    let open = match record {
        Record::Message(message) => open_line("message", message),
        Record::Event(event) => open_line("event", event),
        Record::Verdict(verdict) => open_line("score", verdict),
    }?;
    Ok(seal(open, previous))
}

/// Of a message only what is parsed a second time: arguments that stand in a text.
#[derive(Deserialize)]
struct CallTexts {
    #[serde(default)]
    tool_calls: Vec<CallText>,
}

#[derive(Deserialize)]
struct CallText {
    arguments_raw: Option<String>,
}

/// A line whose hash has been verified.
pub(super) struct SealedLine<'a> {
    open: &'a [u8],
    pub(super) hash: Digest,
}

/// The bytes of a line, without its line feed, that its hash is of, and the hash that it states.
pub(super) fn stated(line: &[u8]) -> Result<(&[u8], Digest), LineError> {
    let (open, seal) = line.split_at_checked(line.len().saturating_sub(SEAL_BYTES)).ok_or(LineError::NoHash)?;
    let hex = seal.strip_prefix(SEAL_OPEN).and_then(|rest| rest.strip_suffix(SEAL_CLOSE)).ok_or(LineError::NoHash)?;
    Ok((open, Digest::from_hex(hex).map_err(|_| LineError::NoHash)?))
}

/// What a line says that its hash is. `end` is the line without its line feed, or the last [`SEAL_BYTES`] of it.
///
/// # Errors
/// [`LineError::NoHash`].
pub fn stated_hash(end: &[u8]) -> Result<Digest, LineError> {
    stated(end).map(|(_, hash)| hash)
}

/// The hash of a line without its line feed, if it follows from that of the line before ([`Digest::ZERO`] before the first). What the record says is not
/// looked at: [`verify`](super::verify) does.
///
/// # Errors
/// [`LineError::NoHash`], [`LineError::BrokenChain`].
pub fn follow(line: &[u8], previous: Digest) -> Result<Digest, LineError> {
    open_seal(line, previous).map(|sealed| sealed.hash)
}

/// Verifies a line without its line feed.
pub(super) fn open_seal(line: &[u8], previous: Digest) -> Result<SealedLine<'_>, LineError> {
    let (open, stated) = stated(line)?;
    let hash = Digest::chained(previous, open);
    if hash == stated { Ok(SealedLine { open, hash }) } else { Err(LineError::BrokenChain) }
}

impl SealedLine<'_> {
    /// The record's fields as a JSON object of their own, if the line is of the kind.
    fn fields_of(&self, kind: &str) -> Option<Vec<u8>> {
        let fields = self.open.strip_prefix(format!("{{\"_type\":\"{kind}\",").as_bytes())?;
        Some([b"{", fields, b"}"].concat())
    }

    /// What the record takes in memory, at most; where that is more than there is room for, at least so much more.
    pub(super) fn memory_bytes(&self, room: u64) -> u64 {
        let own = weight(self.open);
        let Some(fields) = self.fields_of("message").filter(|_| own <= room) else { return own };
        // Whoever parses all of it says what is wrong with text that cannot be read even so far.
        let Ok(texts) = serde_json::from_slice::<CallTexts>(&fields) else { return own };
        let texts = texts.tool_calls.iter().filter_map(|call| call.arguments_raw.as_deref());
        own + texts.map(|text| weight(text.as_bytes())).sum::<u64>()
    }

    /// The first line's record.
    pub(super) fn metadata(&self) -> Result<Metadata, FirstLineError> {
        let fields = self.fields_of("metadata").ok_or(FirstLineError::NotMetadata)?;
        // A later version may have fields that we do not know, and then its version is the better thing to complain of.
        if let Ok(claim) = serde_json::from_slice::<FormatClaim>(&fields) {
            if claim.format != FORMAT {
                return Err(MetadataError::OtherFormat { found: claim.format }.into());
            }
            if !claim.version.is_readable() {
                return Err(MetadataError::OtherVersion { found: claim.version }.into());
            }
        }
        serde_json::from_slice(&fields).map_err(|error| FirstLineError::Invalid { why: in_words(&error) })
    }

    /// A further line's record; `position` is that of the message, from 1, if it is one.
    pub(super) fn record(&self, position: usize) -> Result<Record, LineError> {
        let invalid = |error: serde_json::Error| LineError::NoRecord { why: in_words(&error) };
        if let Some(fields) = self.fields_of("message") {
            let record: MessageRecord = serde_json::from_slice(&fields).map_err(invalid)?;
            let message = Message::from_record(record, position);
            message.map(Record::Message).map_err(|error| LineError::NoRecord { why: error.to_string() })
        } else if let Some(fields) = self.fields_of("event") {
            serde_json::from_slice::<Event>(&fields).map(Record::Event).map_err(invalid)
        } else if let Some(fields) = self.fields_of("score") {
            serde_json::from_slice::<Verdict>(&fields).map(Record::Verdict).map_err(invalid)
        } else {
            Err(LineError::NoRecord {
                why: "`_type` is not message, event or score, or is not the first field".to_owned(),
            })
        }
    }
}

/// Why a first line is not ours.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FirstLineError {
    /// It is a sealed line, but no metadata.
    #[error("the first line is not of type metadata")]
    NotMetadata,
    /// It is of another format or version.
    #[error(transparent)]
    Format(#[from] MetadataError),
    /// It is metadata with something wrong in it.
    #[error("the first line's metadata is not valid: {why}")]
    Invalid {
        /// What is wrong.
        why: String,
    },
}

/// The parser's complaint without its line and column, which count within the line's fields and would mislead.
fn in_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match error.classify() {
        Category::Data => text.rsplit_once(" at line ").map_or(text.clone(), |(words, _)| words.to_owned()),
        _ => text,
    }
}
