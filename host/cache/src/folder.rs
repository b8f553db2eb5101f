//! The folder and its entries.

use crate::error::{CacheError, Distrust, at};
use crate::key::{self, Key};
use assay_files::{Existing, Folder, Kind as Thing, OpenError};
use blake3::Hash;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

const MAGIC_BYTES: usize = 8;
const HASH_BYTES: usize = blake3::OUT_LEN;
/// Where the signed part of an entry begins.
const SIGNED_FROM: usize = MAGIC_BYTES + HASH_BYTES;
/// Where the payload begins.
const PAYLOAD_FROM: usize = SIGNED_FROM + 2 * HASH_BYTES;

/// An entry is written within seconds, so after this time the writer of a draft is dead.
const HALF_WRITTEN_KEPT: Duration = Duration::from_secs(60 * 60);

/// Files of a folder that are looked at to make room. With more of them something else is wrong.
const FILES_MAX: usize = 1 << 20;

/// What is the same for all entries of one use of the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// The first bytes of every entry. They change with the form of the payload; readers take no other.
    pub magic: [u8; MAGIC_BYTES],
    /// Extension of the entries' names.
    pub extension: &'static str,
    /// Bytes of the largest payload. A larger one is not kept, a larger file is not read.
    pub payload_bytes_max: u64,
}

/// Where something came from that may have been kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Compiled: the cache had nothing.
    Compiled,
    /// From the cache, verified.
    Cached,
    /// Compiled: the cache had something that could not be trusted.
    Recompiled {
        /// Why not.
        why: Distrust,
    },
}

/// An open cache folder. It has no debug form: it knows the key.
pub struct Cache {
    folder: Folder,
    kind: Kind,
    key: Key,
    fingerprint: Hash,
    bytes_max: u64,
}

/// An authentic entry.
#[derive(Debug)]
pub struct Kept {
    bytes: Vec<u8>,
    file: File,
    written: Option<SystemTime>,
}

impl Kept {
    /// What was kept.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        &self.bytes[PAYLOAD_FROM..]
    }

    /// Time since it was kept or marked as used; the greatest there is where that is not known.
    #[must_use]
    pub fn age(&self) -> Duration {
        // A time in the future says nothing about the age.
        self.written.and_then(|written| written.elapsed().ok()).unwrap_or(Duration::MAX)
    }

    /// Marks it as used now. Should that fail, eviction is merely less apt.
    pub fn mark_used(&self) {
        let _ = self.file.set_modified(SystemTime::now());
    }
}

impl Cache {
    /// Opens or makes the folder and its key. It may hold `bytes_max`; beyond that the entries that were unused longest go.
    ///
    /// # Errors
    /// When folder or key can neither be read nor made, or the folder is a link or belongs to somebody else.
    pub fn open(folder: &Path, kind: Kind, fingerprint: Hash, bytes_max: u64) -> Result<Self, CacheError> {
        let opened = Folder::own(folder).map_err(|why| CacheError::of_folder(folder, why))?;
        Self::within(opened, kind, fingerprint, bytes_max)
    }

    /// The same in a folder that is open already, which must be our own ([`Folder::own`]).
    ///
    /// # Errors
    /// When the key can neither be read nor made.
    pub fn within(folder: Folder, kind: Kind, fingerprint: Hash, bytes_max: u64) -> Result<Self, CacheError> {
        let key = key::of(&folder)?;
        Ok(Self { folder, kind, key, fingerprint, bytes_max })
    }

    /// The entry of an owner; `None` where there is none.
    ///
    /// # Errors
    /// Why the entry that there is cannot be trusted.
    pub fn load(&self, owner: &Hash) -> Result<Option<Kept>, Distrust> {
        let file = match self.folder.file(self.name(owner)) {
            Ok(file) => file,
            Err(OpenError::Link | OpenError::NotAFile) => return Err(Distrust::Format),
            Err(_) => return Ok(None),
        };
        let Ok(metadata) = file.metadata() else { return Ok(None) };
        let bytes_max = PAYLOAD_FROM as u64 + self.kind.payload_bytes_max;
        if metadata.len() > bytes_max {
            return Err(Distrust::Format);
        }
        let mut bytes = Vec::new();
        // Another process may have made it longer since; what is cut off is missed below.
        if (&file).take(bytes_max).read_to_end(&mut bytes).is_err() {
            return Ok(None);
        }
        self.verify(owner, &bytes)?;
        Ok(Some(Kept { bytes, file, written: metadata.modified().ok() }))
    }

    fn verify(&self, owner: &Hash, bytes: &[u8]) -> Result<(), Distrust> {
        if bytes.len() <= PAYLOAD_FROM {
            return Err(Distrust::Truncated);
        }
        let (magic, rest) = bytes.split_at(MAGIC_BYTES);
        if magic != self.kind.magic {
            return Err(Distrust::Format);
        }
        let (mac, signed) = rest.split_at(HASH_BYTES);
        // `Hash` compares in constant time.
        if !Hash::from_slice(mac).is_ok_and(|mac| mac == blake3::keyed_hash(&self.key, signed)) {
            return Err(Distrust::Tampered);
        }
        let (fingerprint, rest) = signed.split_at(HASH_BYTES);
        if fingerprint != self.fingerprint.as_bytes() {
            return Err(Distrust::Stale);
        }
        if &rest[..HASH_BYTES] != owner.as_bytes() {
            return Err(Distrust::Foreign);
        }
        Ok(())
    }

    /// Keeps a payload, given in parts, then makes room if the folder has grown too large. Does nothing for a payload that is
    /// empty or larger than [`Kind::payload_bytes_max`].
    ///
    /// # Errors
    /// When the entry cannot be written, or no room be made.
    pub fn store(&self, owner: &Hash, payload: &[&[u8]]) -> Result<(), CacheError> {
        let bytes: u64 = payload.iter().map(|part| part.len() as u64).sum();
        if bytes == 0 || bytes > self.kind.payload_bytes_max {
            return Ok(());
        }
        let signed = || [&self.fingerprint.as_bytes()[..], owner.as_bytes()].into_iter().chain(payload.iter().copied());
        let mut mac = blake3::Hasher::new_keyed(&self.key);
        for part in signed() {
            mac.update(part);
        }
        let name = self.name(owner);
        let write = || -> io::Result<()> {
            let mut draft = self.folder.draft(0o600)?;
            draft.write_all(&self.kind.magic)?;
            draft.write_all(mac.finalize().as_bytes())?;
            signed().try_for_each(|part| draft.write_all(part))?;
            draft.name(OsStr::new(&name), Existing::Replaced)
        };
        write().map_err(at("write the cache entry", &self.folder.path().join(&name)))?;
        self.evict(&name).map_err(at("make room in the cache folder", self.folder.path()))
    }

    /// Removes what was unused longest, drafts of dead processes included, until the folder is small enough. What has no name that we give is not a concern
    /// of ours, whatever it takes.
    fn evict(&self, keep: &str) -> Result<(), OpenError> {
        let mut files = Vec::new();
        let mut bytes = 0;
        for name in self.folder.entries(FILES_MAX)? {
            let is_draft = assay_files::is_draft(&name);
            if !is_draft && !self.is_entry(&name) {
                continue;
            }
            // Another process may have removed it meanwhile.
            let Ok(Some(found)) = self.folder.look(&name) else { continue };
            if found.kind != Thing::File || found.owner != assay_files::user() {
                continue;
            }
            bytes += found.bytes;
            let is_dead = || found.modified.elapsed().is_ok_and(|age| age > HALF_WRITTEN_KEPT);
            if name != keep && (!is_draft || is_dead()) {
                files.push((found.modified, name, found.bytes));
            }
        }
        files.sort_unstable();
        for (_, name, length) in files {
            if bytes <= self.bytes_max {
                break;
            }
            if self.folder.remove_file(&name).is_ok() {
                bytes -= length;
            }
        }
        Ok(())
    }

    fn name(&self, owner: &Hash) -> String {
        format!("{}.{}", owner.to_hex(), self.kind.extension)
    }

    /// Whether a name is one that [`Self::name`] gives.
    fn is_entry(&self, name: &OsStr) -> bool {
        let parts = name.to_str().and_then(|name| name.split_once('.'));
        parts.is_some_and(|(owner, extension)| extension == self.kind.extension && Hash::from_hex(owner).is_ok())
    }
}
