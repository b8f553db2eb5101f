//! What builds keep, so that nothing is compiled twice: the SDK's library, and what the compiler made of each file. Entries are
//! those of [`assay_cache`], authenticated before anything looks at them.
//!
//! ```text
//! fingerprint = compiler, its flags, SDK, release, form of the payloads
//! owner       = what the compiler is told about one file, its text included; or the SDK's library
//! payload     = length of the facts 4 │ facts as JSON │ module; or the library
//! ```
//!
//! The module is kept, not the component, which is made of it anew each time: that takes a fraction of the validator's time,
//! and no entry can outlive a change of the encoder.
//!
//! Not kept: what failed, because limits and machine have a part in it; and crates. Their dependencies come from the user's
//! registry, the lock file may be missing or be completed on the way, and what sources are told of their place depends on the
//! jail: no key covers all that.
//!
//! Invariant: limits are not part of the key. They guard the machine; a module that was compiled within some is the module.

use crate::compiler::{Compiled, FLAGS};
use crate::message::CompileMessage;
use crate::sdk::{SDK_VERSION, sdk_hash};
use crate::toolchain::Toolchain;
use crate::{BuildSettings, Origin};
use assay_cache::{Cache, CacheError, Distrust, Kind};
use assay_files::Folder;
use assay_jail::Protections;
use blake3::{Hash, Hasher};
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// Bytes that the folder may hold: some thousands of ordinary strategies. Beyond it the entries that were unused longest go.
pub const KEPT_BYTES_MAX: u64 = 256 << 20;

/// Folder in the cache.
const FOLDER: &str = "kept";

/// What the compiler is told besides [`FLAGS`] and a file's own arguments, and what is read from its answer. Changes with
/// [`crate::compiler::rustc`] and [`crate::message`].
const FORM: &str = "rustc in the jail 2";

/// Four times the largest module that the validator takes: there is room for what the compiler says about it, and for the SDK's
/// library.
const KIND: Kind = Kind {
    magic: *b"assayBK1",
    extension: "kept",
    payload_bytes_max: 4 * assay_validator::limits::COMPONENT_BYTES_MAX,
};

/// Bytes before the facts.
const LENGTH_BYTES: usize = size_of::<u32>();

/// All about a module but its bytes, as it is kept.
#[derive(Serialize, Deserialize)]
struct Facts {
    warnings: Vec<CompileMessage>,
    protections: Protections,
}

/// The cache during one build, and what it was good for.
pub(crate) struct Shelf {
    cache: Option<Cache>,
    keeps_modules: bool,
    warning: Option<CacheError>,
    distrust: Option<Distrust>,
    is_module_kept: bool,
}

impl Shelf {
    /// Opens the folder. One that cannot be used is a warning: all there is to it is that everything is compiled.
    pub(crate) fn open(toolchain: &Toolchain, settings: &BuildSettings) -> Self {
        let fingerprint = fingerprint(toolchain, &sdk_hash());
        let folder = settings.cache.join(FOLDER);
        let opened = Folder::own(&settings.cache)
            .and_then(|cache| cache.own_folder(FOLDER))
            .map_err(|why| CacheError::of_folder(&folder, why))
            .and_then(|folder| Cache::within(folder, KIND, fingerprint, settings.kept_bytes_max));
        let keeps_modules = settings.kept_bytes_max > 0;
        let (cache, warning) = match opened {
            Ok(cache) => (Some(cache), None),
            Err(error) => (None, Some(error)),
        };
        Self { cache, keeps_modules, warning, distrust: None, is_module_kept: false }
    }

    /// What the compiler made of a file, if it is kept.
    pub(crate) fn module(&mut self, file: &Hash) -> Option<Compiled> {
        if !self.keeps_modules {
            return None;
        }
        let module = self.take(file, unpack);
        self.is_module_kept = module.is_some();
        module
    }

    /// Keeps what the compiler made of a file.
    pub(crate) fn keep_module(&mut self, file: &Hash, compiled: &Compiled) {
        if !self.keeps_modules {
            return;
        }
        let facts = Facts { warnings: compiled.warnings.clone(), protections: compiled.protections };
        // Strings and numbers only: what cannot be written does not occur, and would merely not be kept.
        let Ok(facts) = serde_json::to_vec(&facts) else { return };
        let Ok(length) = u32::try_from(facts.len()) else { return };
        self.keep(file, &[&length.to_le_bytes(), &facts, &compiled.module]);
    }

    /// The SDK's library, if it is kept.
    pub(crate) fn library(&mut self) -> Option<Vec<u8>> {
        self.take(&library(), |payload| Some(payload.to_vec()))
    }

    /// Keeps the SDK's library.
    pub(crate) fn keep_library(&mut self, bytes: &[u8]) {
        self.keep(&library(), &[bytes]);
    }

    /// Where the module came from, and why it could not be kept or found.
    pub(crate) fn close(self) -> (Origin, Option<CacheError>) {
        let compiled = self.distrust.map_or(Origin::Compiled, |why| Origin::Recompiled { why });
        (if self.is_module_kept { Origin::Cached } else { compiled }, self.warning)
    }

    fn take<T>(&mut self, owner: &Hash, read: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let found = self.cache.as_ref()?.load(owner).and_then(|kept| {
            let Some(kept) = kept else { return Ok(None) };
            let content = read(kept.payload()).ok_or(Distrust::Unreadable)?;
            kept.mark_used();
            Ok(Some(content))
        });
        found.unwrap_or_else(|why| {
            // Of module and library, the module is looked for first and matters more.
            self.distrust.get_or_insert(why);
            None
        })
    }

    fn keep(&mut self, owner: &Hash, payload: &[&[u8]]) {
        let Some(cache) = &self.cache else { return };
        if let Err(error) = cache.store(owner, payload) {
            self.warning.get_or_insert(error);
        }
    }
}

fn unpack(payload: &[u8]) -> Option<Compiled> {
    let (length, rest) = payload.split_first_chunk::<LENGTH_BYTES>()?;
    let (facts, module) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    let Facts { warnings, protections } = serde_json::from_slice(facts).ok()?;
    Some(Compiled { module: module.to_vec(), warnings, protections })
}

/// Everything that shapes a module or the SDK's library and is the same for all files.
fn fingerprint(toolchain: &Toolchain, sdk_hash: &Hash) -> Hash {
    let sdk = sdk_hash.to_hex();
    let parts = [FORM, SDK_VERSION, &toolchain.version, &toolchain.commit, sdk.as_str()];
    hash(parts.into_iter().chain(FLAGS))
}

/// What names a file of this text, about which the compiler is told `arguments`.
pub(crate) fn file<'a>(arguments: impl Iterator<Item = &'a str>, text: &'a str) -> Hash {
    hash(["file", text].into_iter().chain(arguments))
}

/// What names the SDK's library; the fingerprint says which it is.
fn library() -> Hash {
    hash(["library"].into_iter())
}

/// Lengths keep one part's end from passing for the next one's start.
fn hash<'a>(parts: impl Iterator<Item = &'a str>) -> Hash {
    let mut hasher = Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize()
}
