//! Whether the lines of a trajectory follow from each other: each ends with a hash over itself and the hash of the line before.
//!
//! Invariants: the whole file is checked line by line while its index is made, and how far that has come is kept with the index. That whole lines were removed
//! from the end is not noticed here: for that, a hash from elsewhere is needed, as the journal of a rollout has it.

use assay_trace::{Digest, follow};
use serde::{Serialize, Serializer};

/// Where a file is not as it was written; for programs, its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Break {
    /// The first record that does not follow from the one before, or the first that is missing.
    pub number: u64,
    /// Whether it is missing, and all that came after it: the file ends too early.
    pub is_end: bool,
}

impl Break {
    /// A record that does not follow from the one before.
    pub(crate) const fn at(number: u64) -> Self {
        Self { number, is_end: false }
    }
}

impl Serialize for Break {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.number)
    }
}

/// Bytes of a chain in an index.
pub(crate) const CHAIN_BYTES: usize = 40;

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

    /// The hash of the last line that follows from the one before.
    pub(crate) const fn hash(&self) -> Digest {
        self.hash
    }

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
