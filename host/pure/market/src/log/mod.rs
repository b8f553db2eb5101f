//! The event log: events as bytes, with a running BLAKE3 hash over exactly those bytes.
//!
//! Two runs are the same if and only if their hashes are equal; the hash does not depend on whether the bytes are kept, and it is
//! what `b3sum` says of the file.
//!
//! All numbers are little-endian and of fixed width. The file is a header and then records without padding up to its end:
//!
//! ```text
//! header  magic "assaylog", major u16, minor u16
//! record  [255, symbol u8,] tag u8, at u64 (ns), body; the symbol stands before the events of all but the first
//!
//! tag  event    body
//!   0  opened
//!   1  closed
//!   2  request  agent u32, id u64, kind u8, then by kind:
//!                 0 limit       side u8, price i64, quantity u64, qualifiers u8 (1 hidden, 2 post-only)
//!                 1 market      side u8, quantity u64
//!                 2 cancel      order u64
//!                 3 cancel all
//!                 4 modify      order u64, price i64, quantity u64
//!                 5 reduce      order u64, by u64
//!                 6 replace     order u64, price i64, quantity u64
//!                 7 order       side u8, time in force u8, display u8, post-only u8, trigger u8, price i32, quantity u32, shown u32,
//!                               trigger at i32, expires u64 (ns)
//!   3  update   agent u32, request u64, order u64, at u64, remaining u32, kind u8, then by kind:
//!                 0 accepted
//!                 1 fill        price u32, quantity u32, liquidity u8
//!                 2 cancelled   reason u8
//!                 3 all gone    count u32
//!                 4 modified    price u32
//!                 5 reduced     by u32
//!                 6 rejected    reason u8
//!                 7 triggered
//!   4  trade    price u32, quantity u32, taker side u8, maker agent u32, maker id u64, taker agent u32, taker id u64
//!   5  quote    sequence u64, at u64, bid, ask (each: price u32, quantity u64), last u32, volume u64
//!   6  session  u8 (0 call, 1 continuous)
//!
//! side       0 buy, 1 sell         liquidity  0 maker, 1 taker       reason  as numbered in assay_model, like an order's terms
//! price u32  1..=PRICE_MAX_CENTS; in a quote 0 for none, and the quantity then is 0 too
//! ```
//!
//! Invariant: one event has one encoding, so what [`decode`] accepts encodes to the same bytes again.

mod decode;
mod encode;

pub use decode::{DecodeError, Events, Expected, decode};

use crate::{Event, EventSink};
use encode::ROOM;
use std::io;

/// Stands before the number of a symbol other than the first.
const OTHER_SYMBOL: u8 = 255;

/// The first bytes of every log.
const MAGIC: [u8; 8] = *b"assaylog";

/// The format of a log. A reader reads every minor version of its own major version up to its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LogVersion {
    /// Changes when an old reader would misread.
    pub major: u16,
    /// Changes when an old reader would meet something it does not know.
    pub minor: u16,
}

impl LogVersion {
    /// What this crate writes.
    pub const CURRENT: Self = Self { major: 1, minor: 0 };

    /// Whether this crate can read a log of this version.
    #[must_use]
    pub fn is_readable(self) -> bool {
        self.major == Self::CURRENT.major && (0..=Self::CURRENT.minor).contains(&self.minor)
    }
}

/// Bytes gathered before they are hashed and written, no more and no less: BLAKE3 is fastest on powers of two, and works on 16 blocks
/// of 1 KiB at once where the processor can.
const BUFFER_BYTES: usize = 64 << 10;

/// An [`EventSink`] that writes the log to `W` and hashes it.
#[derive(Debug)]
pub struct EventLog<W> {
    writer: W,
    hasher: blake3::Hasher,
    /// Room for the record that overfills it.
    buffer: Box<[u8]>,
    /// How far the buffer is filled.
    filled: usize,
    bytes: u64,
    events: u64,
    /// The first failure; nothing is written after it, the hash goes on.
    failure: Option<io::Error>,
}

/// What a finished log amounts to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogSummary {
    /// BLAKE3 of the whole log.
    pub hash: blake3::Hash,
    /// Length of the whole log in bytes.
    pub bytes: u64,
    /// Events in it.
    pub events: u64,
}

impl EventLog<io::Sink> {
    /// A log of which only the hash is kept.
    #[must_use]
    pub fn hash_only() -> Self {
        Self::new(io::sink())
    }
}

impl<W: io::Write> EventLog<W> {
    /// A log that writes to `writer`, in pieces of some KiB.
    #[must_use]
    pub fn new(writer: W) -> Self {
        let buffer = vec![0; BUFFER_BYTES + ROOM].into_boxed_slice();
        let hasher = blake3::Hasher::new();
        let mut log = Self { writer, hasher, buffer, filled: 0, bytes: 0, events: 0, failure: None };
        log.filled = encode::header(LogVersion::CURRENT, log.room());
        log
    }

    /// Completes the log.
    ///
    /// # Errors
    /// The first error of the writer.
    pub fn finish(mut self) -> io::Result<(LogSummary, W)> {
        self.flush(self.filled);
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.writer.flush()?;
        let summary = LogSummary { hash: self.hasher.finalize(), bytes: self.bytes, events: self.events };
        Ok((summary, self.writer))
    }

    /// The log so far: what [`finish`](Self::finish) would say now, whatever became of the writer.
    pub fn summary(&mut self) -> LogSummary {
        self.flush(self.filled);
        LogSummary { hash: self.hasher.finalize(), bytes: self.bytes, events: self.events }
    }

    /// Where the next record goes.
    #[inline(always)]
    fn room(&mut self) -> &mut [u8; ROOM] {
        self.buffer[self.filled..].first_chunk_mut().expect("a full buffer is flushed at once")
    }

    /// Hashes and writes the first `length` bytes of the buffer.
    fn flush(&mut self, length: usize) {
        let full = &self.buffer[..length];
        self.hasher.update(full);
        self.bytes += length as u64;
        if self.failure.is_none() {
            self.failure = self.writer.write_all(full).err();
        }
        self.buffer.copy_within(length..self.filled, 0);
        self.filled -= length;
    }
}

impl<W: io::Write> EventSink for EventLog<W> {
    #[inline]
    fn event(&mut self, event: &Event) {
        self.filled += encode::event(event, self.room());
        self.events += 1;
        if self.filled >= BUFFER_BYTES {
            self.flush(BUFFER_BYTES);
        }
    }
}
