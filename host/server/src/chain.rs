//! Whether the lines of a trajectory follow from each other: each ends with a hash over itself and the hash of the line before.
//!
//! Invariants: the whole file is checked line by line while its index is made, and how far that has come is kept with the index; the lines that somebody looks
//! at are checked again as they are now, within a bound of bytes. A file from whose end whole lines were removed is not noticed: `assay trace verify --hash`
//! does, with a hash from elsewhere.

use crate::index::{Row, line_of};
use assay_trace::{Digest, SEAL_BYTES, follow, stated_hash};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// Bytes of a chain in an index.
pub(crate) const CHAIN_BYTES: usize = 40;
/// Bytes of lines that are checked again when they are looked at.
const AGAIN_BYTES_MAX: u64 = 64 << 20;

/// How far the lines of a file follow from each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Chain {
    /// The hash of the last line that does.
    hash: Digest,
    /// The number of the first record that does not, if one was found; nothing behind it is checked.
    pub broken: Option<u64>,
}

impl Chain {
    /// That of no line.
    pub(crate) const EMPTY: Self = Self { hash: Digest::ZERO, broken: None };

    /// Goes on with the next line, which has no line feed.
    pub(crate) fn go_on(&mut self, number: u64, line: &[u8]) {
        match follow(line, self.hash) {
            Ok(hash) => self.hash = hash,
            Err(_) => self.broken = Some(number),
        }
    }

    pub(crate) fn to_bytes(self) -> [u8; CHAIN_BYTES] {
        let mut bytes = [0; CHAIN_BYTES];
        bytes[..32].copy_from_slice(self.hash.as_bytes());
        bytes[32..].copy_from_slice(&self.broken.map_or(0, |number| number.saturating_add(1)).to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; CHAIN_BYTES]) -> Self {
        let number = u64::from_le_bytes(bytes[32..].try_into().unwrap_or_default());
        let hash = bytes[..32].try_into().unwrap_or_default();
        Self { hash: Digest::from_bytes(hash), broken: number.checked_sub(1) }
    }
}

/// The first of these rows, which follow each other, whose line as it is now does not follow from the one before.
pub(crate) fn broken_among(trajectory: &File, rows: &[Row]) -> io::Result<Option<u64>> {
    let Some(first) = rows.first() else { return Ok(None) };
    let Some(mut before) = hash_before(trajectory, first)? else { return Ok(Some(first.number.saturating_sub(1))) };
    let mut left = AGAIN_BYTES_MAX;
    for row in rows {
        let Some(rest) = left.checked_sub(u64::from(row.bytes)) else { break };
        left = rest;
        match follow(&line_of(trajectory, row, AGAIN_BYTES_MAX)?, before) {
            Ok(hash) => before = hash,
            Err(_) => return Ok(Some(row.number)),
        }
    }
    Ok(None)
}

/// The hash at the end of the line before a row; none where that line has none.
fn hash_before(trajectory: &File, row: &Row) -> io::Result<Option<Digest>> {
    if row.number == 0 {
        return Ok(Some(Digest::ZERO));
    }
    // Between the two is a line feed.
    let Some(from) = row.offset.checked_sub(SEAL_BYTES as u64 + 1) else { return Ok(None) };
    let mut end = [0; SEAL_BYTES];
    trajectory.read_exact_at(&mut end, from)?;
    Ok(stated_hash(&end).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_read_as_it_was_written() {
        for broken in [None, Some(0), Some(7)] {
            let chain = Chain { hash: Digest::of(b"x"), broken };
            assert_eq!(Chain::from_bytes(&chain.to_bytes()), chain);
        }
        assert_eq!(Chain::from_bytes(&[0; CHAIN_BYTES]), Chain::EMPTY);
    }
}
