//! Codes for files that lie elsewhere: whoever has no key cannot make one, so a file with its code was written by this user on this machine.
//!
//! A code that is found somewhere is compared as a whole with the one that is made anew, or looked up among others: neither tells how much of it is right to
//! anybody who could try again without end.

use crate::error::CacheError;
use crate::key::{self, Key};
use assay_files::Folder;
use blake3::{Hash, Hasher};
use std::path::Path;

/// Separates these codes from those of cache entries.
const CONTEXT: &[u8] = b"assay seal 1";

/// Makes and checks codes. It has no debug form: it knows the key.
pub struct Seals {
    key: Key,
}

impl Seals {
    /// Takes the key of a folder, or makes both.
    ///
    /// # Errors
    /// When folder or key can neither be read nor made, or the folder is a link or belongs to somebody else.
    pub fn open(folder: &Path) -> Result<Self, CacheError> {
        let opened = Folder::own(folder).map_err(|why| CacheError::of_folder(folder, why))?;
        Ok(Self { key: key::of(&opened)? })
    }

    /// The code of what these parts say together.
    #[must_use]
    pub fn seal(&self, parts: &[&[u8]]) -> Hash {
        let mut hasher = Hasher::new_keyed(&self.key);
        hasher.update(CONTEXT);
        for part in parts {
            // Lengths keep one part's end from passing for the next one's start.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize()
    }
}
