//! Codes of the verdicts in a folder. A verdict without its code may have been put there by anybody: a merge request, say.
//!
//! One line a verdict, appended before the verdict is there. A code is over the id and the bytes of the file, under a key in this user's cache; so it says
//! that this user's gate wrote the verdict on this machine, and nothing of it can be taken over to another name or another verdict.
//!
//! Invariant: without a key nothing is authentic, and everything else works.

use crate::{chain, face};
use assay_cache::Seals;
use assay_files::{Folder, OpenError};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Name of the file in the folder of verdicts.
pub(super) const NAME: &str = ".seals";
/// Names this use among others of the key.
const USE: &[u8] = b"verdict";
/// A longer file is begun anew: it would have the codes of half a million verdicts.
const BYTES_MAX: u64 = 32 << 20;
/// Hexadecimal digits of a code.
const DIGITS: usize = 64;

/// See the module documentation.
pub(super) struct SealFile {
    /// Nothing, where the key cannot be had.
    seals: Option<Seals>,
    /// What the file said when it was opened.
    known: BTreeSet<String>,
    file: Mutex<File>,
}

impl SealFile {
    /// Opens or makes it. A last line that was not written whole goes.
    pub(super) fn open(folder: &Folder, keys: &Path) -> Result<Self, OpenError> {
        let seals = match Seals::open(keys) {
            Ok(seals) => Some(seals),
            Err(error) => {
                face::warn(&format!("a later run cannot reuse these verdicts: {}", chain(&error)));
                None
            }
        };
        let mut file = folder.file_to_change(NAME, 0o644)?;
        let mut text = Vec::new();
        (&file).take(BYTES_MAX + 1).read_to_end(&mut text)?;
        if text.len() as u64 > BYTES_MAX {
            text.clear();
        }
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        file.set_len(whole as u64)?;
        file.seek(io::SeekFrom::Start(whole as u64))?;
        let lines = text[..whole].split(|byte| *byte == b'\n').filter(|line| line.len() == DIGITS);
        let known = lines.filter_map(|line| Some(std::str::from_utf8(line).ok()?.to_owned())).collect();
        Ok(Self { seals, known, file: Mutex::new(file) })
    }

    /// Whether the verdict with this id is one that was written here, as it was written.
    pub(super) fn holds(&self, id: &str, bytes: &[u8]) -> bool {
        self.code(id, bytes).is_some_and(|code| self.known.contains(&code))
    }

    /// Adds the code of a verdict that is about to be written.
    pub(super) fn add(&self, id: &str, bytes: &[u8]) -> io::Result<()> {
        let Some(code) = self.code(id, bytes).filter(|code| !self.known.contains(code)) else { return Ok(()) };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(format!("{code}\n").as_bytes())?;
        file.sync_data()
    }

    fn code(&self, id: &str, bytes: &[u8]) -> Option<String> {
        Some(self.seals.as_ref()?.seal(&[USE, id.as_bytes(), bytes]).to_hex().to_string())
    }
}
