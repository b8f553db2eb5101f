//! What programs remember: bytes that mean something to them alone, beside the documents that everybody can read.
//!
//! Invariants: memories are a part of the state, with a digest, and never a part of what is compared: a program that writes the time of a change into its
//! memory has not changed the world by it. Cloning is a fork.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_trace::Digest;

use crate::limits::{MEMORIES_MAX, MEMORY_BYTES_MAX};

/// One memory.
#[derive(Clone, Debug)]
struct Memory {
    bytes: Arc<[u8]>,
    digest: Digest,
}

/// All memories by the names of their programs.
#[derive(Clone, Debug, Default)]
pub struct Memories(Arc<BTreeMap<String, Memory>>);

impl Memories {
    /// What a program remembers.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<[u8]>> {
        self.0.get(name).map(|memory| &memory.bytes)
    }

    /// Remembers something in the place of what was remembered.
    ///
    /// # Errors
    /// There is no room for it, in words for people.
    pub fn set(&mut self, name: &str, bytes: &[u8]) -> Result<(), String> {
        if bytes.len() > MEMORY_BYTES_MAX {
            return Err(format!("{name} remembers {} bytes, at most {MEMORY_BYTES_MAX}", bytes.len()));
        }
        if !self.0.contains_key(name) && self.0.len() >= MEMORIES_MAX {
            return Err(format!("a world has at most {MEMORIES_MAX} programs with a memory"));
        }
        let memory = Memory { bytes: bytes.into(), digest: Digest::of(bytes) };
        Arc::make_mut(&mut self.0).insert(name.to_owned(), memory);
        Ok(())
    }

    /// The programs that remember something, each with the digest of what it is.
    pub fn digests(&self) -> impl Iterator<Item = (&str, Digest)> {
        self.0.iter().map(|(name, memory)| (name.as_str(), memory.digest))
    }
}
