//! BLAKE3 digests as files carry them, and the root over the parts of a state.
//!
//! Invariant: a [`StateHash`]'s root is computed from its parts, so two roots differ exactly where some part does.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

/// A BLAKE3 digest: 32 bytes, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// The text is not 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a digest is 64 lower-case hexadecimal digits")]
pub struct DigestError;

impl Digest {
    /// What stands for the hash before the first line of a file.
    pub const ZERO: Self = Self([0; 32]);

    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The digest of a previous digest's 32 bytes followed by `bytes`: one link of a chain.
    #[must_use]
    pub fn chained(previous: Self, bytes: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&previous.0);
        hasher.update(bytes);
        Self(*hasher.finalize().as_bytes())
    }

    /// A digest from its 64 digits.
    ///
    /// # Errors
    /// The text is not 64 lower-case hexadecimal digits.
    pub fn from_hex(hex: &[u8]) -> Result<Self, DigestError> {
        let nibble = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(DigestError),
        };
        let hex: &[u8; 64] = hex.try_into().map_err(|_| DigestError)?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Ok(Self(bytes))
    }

    /// A digest from its 32 bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(hex: String) -> Result<Self, DigestError> {
        Self::from_hex(hex.as_bytes())
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

/// The digest of a state with those of its parts: files, database, messages, clock, random streams.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StateHashRecord", into = "StateHashRecord")]
pub struct StateHash {
    root: Digest,
    parts: BTreeMap<String, Digest>,
}

impl StateHash {
    /// The state of these parts. The root is the digest of, for each part in the byte order of names: the name's length as 8 bytes,
    /// little end first, the name, the part's 32 bytes.
    #[must_use]
    pub fn new(parts: BTreeMap<String, Digest>) -> Self {
        let mut bytes = Vec::new();
        for (name, digest) in &parts {
            bytes.extend((name.len() as u64).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes.extend(digest.as_bytes());
        }
        Self { root: Digest::of(&bytes), parts }
    }

    /// The digest of the whole.
    #[must_use]
    pub const fn root(&self) -> Digest {
        self.root
    }

    /// The digests of the parts.
    #[must_use]
    pub const fn parts(&self) -> &BTreeMap<String, Digest> {
        &self.parts
    }

    /// The names of the parts in which two states differ, those of only one state included.
    #[must_use]
    pub fn differing_parts(&self, other: &Self) -> Vec<String> {
        let names: std::collections::BTreeSet<_> = self.parts.keys().chain(other.parts.keys()).collect();
        names.into_iter().filter(|name| self.parts.get(*name) != other.parts.get(*name)).cloned().collect()
    }
}

/// A state hash as it stands in files.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateHashRecord {
    root: Digest,
    parts: BTreeMap<String, Digest>,
}

/// The root is not that of the parts.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the state's root is {stated}, but its parts make {computed}")]
struct StateHashError {
    stated: Digest,
    computed: Digest,
}

impl TryFrom<StateHashRecord> for StateHash {
    type Error = StateHashError;

    fn try_from(record: StateHashRecord) -> Result<Self, StateHashError> {
        let state = Self::new(record.parts);
        if state.root == record.root {
            Ok(state)
        } else {
            Err(StateHashError { stated: record.root, computed: state.root })
        }
    }
}

impl From<StateHash> for StateHashRecord {
    fn from(state: StateHash) -> Self {
        Self { root: state.root, parts: state.parts }
    }
}
