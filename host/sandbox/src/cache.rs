//! The artifact cache: native code on disk, authenticated by [`assay_cache`] before anything looks at it.
//!
//! A payload is a byte that says what it is, then native code or a failure. The fingerprint is of engine, validator and format.
//!
//! Failed compilations are remembered too, as long as they would happen again.

use crate::compile::{CompileError, CompileFailure, CompileLimits, PYTHON_ARTIFACT_BYTES_MAX};
use assay_cache::{Cache, CacheError, Distrust, Kind, Origin};
use blake3::Hash;
use std::path::Path;

/// Bytes that the folder may hold: some thousands of ordinary strategies. Beyond it the entries that were unused longest go.
pub const CACHE_BYTES_MAX: u64 = 1 << 30;

/// The largest payload is the largest artifact. A failure is far smaller.
const KIND: Kind =
    Kind { magic: *b"assayAC1", extension: "artifact", payload_bytes_max: 1 + PYTHON_ARTIFACT_BYTES_MAX as u64 };

/// The first byte of a payload: native code follows.
const ARTIFACT: u8 = 0;
/// The first byte of a payload: the reason follows for which the component does not compile, as JSON.
const FAILURE: u8 = 1;

/// What an entry holds.
enum Entry {
    Artifact(Vec<u8>),
    Failure(CompileFailure),
}

/// Opens or makes the folder and its key.
pub(crate) fn open(folder: &Path, fingerprint: Hash, bytes_max: u64) -> Result<Cache, CacheError> {
    Cache::open(folder, KIND, fingerprint, bytes_max)
}

/// The entry of a component: absent, present, or present and not to be trusted. A failure that these limits may cure is absent.
fn load(cache: &Cache, component: &Hash, limits: &CompileLimits) -> Result<Option<Entry>, Distrust> {
    let Some(kept) = cache.load(component)? else { return Ok(None) };
    match kept.payload().split_first() {
        Some((&ARTIFACT, artifact)) => {
            kept.mark_used();
            Ok(Some(Entry::Artifact(artifact.to_vec())))
        }
        Some((&FAILURE, words)) => {
            let failure: CompileFailure = serde_json::from_slice(words).map_err(|_| Distrust::Unreadable)?;
            // Not marked as used: its age counts from when it was found.
            Ok(failure.stands(limits, kept.age()).then_some(Entry::Failure(failure)))
        }
        _ => Err(Distrust::Unreadable),
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
    component: &Hash,
    limits: &CompileLimits,
    compile: impl FnOnce() -> Result<Vec<u8>, CompileError>,
) -> Result<Obtained, CompileError> {
    let found = cache.map_or(Ok(None), |cache| load(cache, component, limits));
    let origin = match found {
        Ok(Some(Entry::Artifact(artifact))) => return Ok(Obtained { artifact, origin: Origin::Cached, warning: None }),
        Ok(Some(Entry::Failure(failure))) => return Err(CompileError::Component(failure)),
        Ok(None) => Origin::Compiled,
        Err(why) => Origin::Recompiled { why },
    };
    let remember = |what: u8, content: &[u8]| cache.and_then(|cache| cache.store(component, &[&[what], content]).err());
    match compile() {
        Ok(artifact) => {
            let warning = remember(ARTIFACT, &artifact);
            Ok(Obtained { artifact, origin, warning })
        }
        Err(CompileError::Component(failure)) => {
            // The failure matters more than that it could not be kept.
            let _ = serde_json::to_vec(&failure).map(|words| remember(FAILURE, &words));
            Err(CompileError::Component(failure))
        }
        // The machine's, and so not worth remembering.
        Err(error) => Err(error),
    }
}
