//! The component pass: what may enter the sandbox.

use crate::finding::Findings;

/// What was measured while a component was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Bytes of the component.
    pub bytes: u64,
}

/// Bytes that passed the component pass.
#[derive(Clone, Debug)]
pub struct CheckedComponent {
    bytes: Vec<u8>,
    hash: blake3::Hash,
    facts: Facts,
}

impl CheckedComponent {
    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// BLAKE3 of the bytes.
    #[must_use]
    pub fn hash(&self) -> blake3::Hash {
        self.hash
    }

    /// What was measured.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// Checks a component.
///
/// # Errors
/// All findings, when one of them is an error.
pub fn check_component(bytes: Vec<u8>) -> Result<CheckedComponent, Findings> {
    let facts = Facts { bytes: bytes.len() as u64 };
    Ok(CheckedComponent { hash: blake3::hash(&bytes), facts, bytes })
}
