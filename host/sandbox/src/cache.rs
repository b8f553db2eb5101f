//! The artifact cache: native code on disk, authenticated before anything looks at it.
//!
//! ```text
//! entry = magic 8 │ mac 32 │ fingerprint 32 │ component hash 32 │ kind 1 │ payload
//!         mac = BLAKE3 keyed with the folder's key, over everything after it
//! ```
//!
//! One entry for each component, named by its hash; the fingerprint (engine, validator, format) is inside, so that an upgrade
//! replaces entries instead of piling them up.
//!
//! Invariants: a payload is returned only if its MAC verifies and it was made for this component by this engine; writers replace
//! whole files, so concurrent readers see an old entry or a new one; failed compilations are remembered too, as long as they would
//! happen again. An attacker who can
//! read the key file can already write this program's memory, so the key's mode is what is guarded.

use crate::Origin;
use crate::compile::{CompileError, CompileFailure, CompileLimits, PYTHON_ARTIFACT_BYTES_MAX};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Changes with the layout above; readers take no other.
const MAGIC: [u8; 8] = *b"assayAC1";
const KEY_FILE: &str = "key";
const EXTENSION: &str = "artifact";
const HEADER_BYTES: usize = MAGIC.len() + 32 + 32 + 32 + 1;
/// Bytes that the folder may hold: some thousands of ordinary strategies. Beyond it the entries that were unused longest go.
pub const CACHE_BYTES_MAX: u64 = 1 << 30;

/// Largest entry: the largest artifact with its header. A failure is far smaller.
const ENTRY_BYTES_MAX: u64 = (HEADER_BYTES + PYTHON_ARTIFACT_BYTES_MAX) as u64;

/// What an entry holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// Native code.
    Artifact(Vec<u8>),
    /// The component does not compile.
    Failure(CompileFailure),
}

/// Why an entry that was there was not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distrust {
    /// Too short to be an entry.
    Truncated,
    /// Written in another format, larger than entries are, or no regular file.
    Format,
    /// Its authentication code does not verify: changed, or written with another key.
    Tampered,
    /// Made by another engine, target or validator.
    Stale,
    /// Made for another component.
    Foreign,
    /// Authentic, yet unreadable.
    Unreadable,
}

/// Why the cache could not be used. Programs still run, compiled anew.
#[derive(Debug, thiserror::Error)]
#[error("failed to {step} {path}")]
pub struct CacheError {
    step: &'static str,
    path: PathBuf,
    #[source]
    source: io::Error,
}

fn at<'a>(step: &'static str, path: &'a Path) -> impl Fn(io::Error) -> CacheError + 'a {
    move |source| CacheError { step, path: path.to_path_buf(), source }
}

/// An open cache folder.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    key: [u8; 32],
    fingerprint: blake3::Hash,
    bytes_max: u64,
}

impl Cache {
    /// Opens or makes the folder and its key.
    pub(crate) fn open(folder: &Path, fingerprint: blake3::Hash, bytes_max: u64) -> Result<Self, CacheError> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(at("make the cache folder", folder))?;
        let key = key(&folder.join(KEY_FILE), folder)?;
        Ok(Self { folder: folder.to_path_buf(), key, fingerprint, bytes_max })
    }

    /// The entry of a component: absent, present, or present and not to be trusted. A failure that these limits may cure is absent.
    pub(crate) fn load(&self, component: &blake3::Hash, limits: &CompileLimits) -> Result<Option<Entry>, Distrust> {
        let path = self.path(component);
        let Ok(metadata) = path.symlink_metadata() else { return Ok(None) };
        if !metadata.is_file() || metadata.len() > ENTRY_BYTES_MAX {
            return Err(Distrust::Format);
        }
        let mut bytes = Vec::new();
        let Ok(file) = File::open(&path) else { return Ok(None) };
        // Another process may have made it longer since; what is cut off is missed below.
        if (&file).take(ENTRY_BYTES_MAX).read_to_end(&mut bytes).is_err() {
            return Ok(None);
        }
        let entry = self.open_entry(component, &bytes)?;
        if let Entry::Failure(failure) = &entry {
            // One from the future says nothing about its age.
            let age = metadata.modified().ok().and_then(|written| written.elapsed().ok()).unwrap_or(Duration::MAX);
            return Ok(failure.stands(limits, age).then_some(entry));
        }
        // Marks the entry as used. Without it eviction is merely less apt.
        let _ = file.set_modified(SystemTime::now());
        Ok(Some(entry))
    }

    fn open_entry(&self, component: &blake3::Hash, bytes: &[u8]) -> Result<Entry, Distrust> {
        if bytes.len() < HEADER_BYTES {
            return Err(Distrust::Truncated);
        }
        let (magic, rest) = bytes.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(Distrust::Format);
        }
        let (mac, signed) = rest.split_at(32);
        // `Hash` compares in constant time.
        if !blake3::Hash::from_slice(mac).is_ok_and(|mac| mac == blake3::keyed_hash(&self.key, signed)) {
            return Err(Distrust::Tampered);
        }
        let (fingerprint, rest) = signed.split_at(32);
        let (owner, rest) = rest.split_at(32);
        let (kind, payload) = rest.split_at(1);
        if fingerprint != self.fingerprint.as_bytes() {
            return Err(Distrust::Stale);
        }
        if owner != component.as_bytes() {
            return Err(Distrust::Foreign);
        }
        match kind {
            [0] => Ok(Entry::Artifact(payload.to_vec())),
            [1] => serde_json::from_slice(payload).map(Entry::Failure).map_err(|_| Distrust::Unreadable),
            _ => Err(Distrust::Unreadable),
        }
    }

    /// Writes an entry, then makes room if the folder has grown too large.
    pub(crate) fn store(&self, component: &blake3::Hash, entry: &Entry) -> Result<(), CacheError> {
        let path = self.path(component);
        let mut signed = Vec::with_capacity(HEADER_BYTES);
        signed.extend_from_slice(self.fingerprint.as_bytes());
        signed.extend_from_slice(component.as_bytes());
        match entry {
            Entry::Artifact(artifact) => {
                signed.push(0);
                signed.extend_from_slice(artifact);
            }
            Entry::Failure(failure) => {
                signed.push(1);
                let text = serde_json::to_vec(failure).map_err(io::Error::from);
                signed.extend(text.map_err(at("write the cache entry", &path))?);
            }
        }
        let mac = blake3::keyed_hash(&self.key, &signed);
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(&MAGIC)?;
            file.write_all(mac.as_bytes())?;
            file.write_all(&signed)?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(at("write the cache entry", &path))?;
        self.evict(&path).map_err(at("make room in the cache folder", &self.folder))
    }

    /// Removes what was unused longest, half-written files of dead processes included, until the folder is small enough.
    fn evict(&self, keep: &Path) -> io::Result<()> {
        let mut files = Vec::new();
        let mut bytes = 0;
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // Another process may have removed it meanwhile.
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_file() && entry.file_name() != KEY_FILE {
                bytes += metadata.len();
                files.push((metadata.modified()?, entry.path(), metadata.len()));
            }
        }
        files.sort_unstable();
        for (_, path, length) in files {
            if bytes <= self.bytes_max {
                break;
            }
            if path != keep && fs::remove_file(&path).is_ok() {
                bytes -= length;
            }
        }
        Ok(())
    }

    fn path(&self, component: &blake3::Hash) -> PathBuf {
        self.folder.join(component.to_hex().as_str()).with_extension(EXTENSION)
    }
}

/// Native code, and how it was come by.
pub(crate) struct Obtained {
    pub(crate) artifact: Vec<u8>,
    pub(crate) origin: Origin,
    /// Why it could not be kept.
    pub(crate) warning: Option<CacheError>,
}

/// Takes native code from the cache if it is there and to be trusted, else has it compiled, and remembers what came of that.
pub(crate) fn obtain(
    cache: Option<&Cache>,
    component: &blake3::Hash,
    limits: &CompileLimits,
    compile: impl FnOnce() -> Result<Vec<u8>, CompileError>,
) -> Result<Obtained, CompileError> {
    let found = cache.map_or(Ok(None), |cache| cache.load(component, limits));
    let origin = match found {
        Ok(Some(Entry::Artifact(artifact))) => return Ok(Obtained { artifact, origin: Origin::Cached, warning: None }),
        Ok(Some(Entry::Failure(failure))) => return Err(CompileError::Component(failure)),
        Ok(None) => Origin::Compiled,
        Err(why) => Origin::Recompiled { why },
    };
    let remember = |entry: &Entry| cache.and_then(|cache| cache.store(component, entry).err());
    match compile() {
        Ok(artifact) => {
            let warning = remember(&Entry::Artifact(artifact.clone()));
            Ok(Obtained { artifact, origin, warning })
        }
        Err(CompileError::Component(failure)) => {
            // The failure matters more than that it could not be kept.
            let _ = remember(&Entry::Failure(failure.clone()));
            Err(CompileError::Component(failure))
        }
        // The machine's, and so not worth remembering.
        Err(error) => Err(error),
    }
}

/// Reads the folder's key, or makes one if there is none that only we can read.
fn key(path: &Path, folder: &Path) -> Result<[u8; 32], CacheError> {
    if let Some(key) = read_key(path) {
        return Ok(key);
    }
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(io::Error::from).map_err(at("draw a key for", folder))?;
    let write = |replace: bool| -> io::Result<()> {
        // Temporary files are made with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&key)?;
        if replace {
            file.persist(path)?
        } else {
            file.persist_noclobber(path)?
        };
        Ok(())
    };
    match write(false) {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match read_key(path) {
            // Another process was first.
            Some(key) => Ok(key),
            // It is there and unusable: entries signed with it will be found tampered and made anew.
            None => write(true).map(|()| key).map_err(at("replace the key", path)),
        },
        Err(error) => Err(at("make the key", path)(error)),
    }
}

/// The key, unless it is missing, no regular file, of another length, or open to others.
fn read_key(path: &Path) -> Option<[u8; 32]> {
    // Before it is opened: opening a pipe waits for somebody to write to it.
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() || metadata.permissions().mode() & 0o077 != 0 {
        return None;
    }
    let file = File::open(path).ok()?;
    let mut key = Vec::with_capacity(33);
    // One more than a key has, so that a longer file shows.
    file.take(33).read_to_end(&mut key).ok()?;
    key.try_into().ok()
}
