//! The guest SDK, carried inside this library and compiled once per compiler, flags and SDK.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assay_jail::{Ended, Protections};

use crate::BuildSettings;
use crate::compiler::{self, FLAGS};
use crate::error::BuildError;
use crate::message;
use crate::toolchain::Toolchain;

#[cfg(test)]
mod tests;

/// Release of the embedded SDK; it is released together with this library.
pub const SDK_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Names the SDK's files once; a test compares the list with the folder.
macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../guest-sdk/rust/src/", $name)))),*]
    };
}

/// The SDK's sources: file name and text, sorted by name.
const FILES: &[(&str, &str)] = embedded![
    "abi.rs",
    "exchange.rs",
    "lib.rs",
    "market.rs",
    "native.rs",
    "order.rs",
    "orders.rs",
    "strategy.rs",
    "timer.rs",
    "units.rs",
    "wire.rs",
];

/// The interface that the SDK implements.
pub(crate) const WIT: &str = include_str!("../../../guest-sdk/wit/strategy.wit");

/// Folder that the SDK is unpacked to, relative to where it is compiled; panics in it name it.
pub(crate) const FOLDER: &str = "assay-sdk";

const LIBRARY: &str = "libassay_sdk.rlib";

/// File beside the library with its BLAKE3 in hexadecimal.
const CHECKSUM: &str = "libassay_sdk.blake3";

/// More than the library ever has; a larger file is not read.
const LIBRARY_BYTES_MAX: u64 = 64 << 20;

/// Hash of the embedded SDK's sources and interface.
pub fn sdk_hash() -> blake3::Hash {
    static HASH: OnceLock<blake3::Hash> = OnceLock::new();
    *HASH.get_or_init(|| {
        let mut hasher = blake3::Hasher::new();
        for (name, text) in FILES.iter().copied().chain([("strategy.wit", WIT)]) {
            // Lengths keep one file's end from passing for the next one's start.
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        }
        hasher.finalize()
    })
}

/// Writes the SDK's sources to `folder`, which must exist.
pub(crate) fn unpack(folder: &Path) -> Result<(), BuildError> {
    FILES.iter().try_for_each(|(name, text)| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(BuildError::io("write", path))
    })
}

/// Path of the compiled SDK, compiling it if the cache has no intact one for this compiler, these flags and these sources.
pub(crate) fn prepare(toolchain: &Toolchain, settings: &BuildSettings) -> Result<PathBuf, BuildError> {
    let mut key = blake3::Hasher::new();
    key.update(toolchain.version.as_bytes()).update(toolchain.commit.as_bytes()).update(sdk_hash().as_bytes());
    FLAGS.iter().for_each(|flag| {
        key.update(flag.as_bytes()).update(b"\0");
    });
    let shelf = settings.cache.join("sdk");
    let kept = shelf.join(key.finalize().to_hex().as_str());
    let (library, checksum) = (kept.join(LIBRARY), kept.join(CHECKSUM));
    if is_intact(&library, &checksum) {
        return Ok(library);
    }
    let bytes = compile(toolchain, settings)?.0;
    fs::create_dir_all(&kept).map_err(BuildError::io("make the folder", &kept))?;
    // Compilations agree, so whoever else writes at the same time writes the same.
    write(&library, &bytes)?;
    write(&checksum, blake3::hash(&bytes).to_hex().as_bytes())?;
    Ok(library)
}

/// Whether the library is the one that was written: not cut by a full disk, not changed since.
fn is_intact(library: &Path, checksum: &Path) -> bool {
    let read = |path: &Path, bytes_max: u64| {
        let metadata = path.symlink_metadata().ok()?;
        if metadata.is_file() && metadata.len() <= bytes_max { fs::read(path).ok() } else { None }
    };
    let expected = read(checksum, 64).and_then(|text| blake3::Hash::from_hex(text).ok());
    expected.is_some() && expected == read(library, LIBRARY_BYTES_MAX).map(|bytes| blake3::hash(&bytes))
}

/// Writes a whole file: readers see the old one or the new one.
fn write(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    let folder = path.parent().unwrap_or(path);
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(BuildError::io("write", path))
}

fn compile(toolchain: &Toolchain, settings: &BuildSettings) -> Result<(Vec<u8>, Protections), BuildError> {
    let work = compiler::work_folder(settings)?;
    let folder = work.path().join(FOLDER);
    fs::create_dir(&folder).map_err(BuildError::io("make the folder", &folder))?;
    unpack(&folder)?;
    let root = format!("{FOLDER}/lib.rs");
    let args = ["--crate-name", "assay_sdk", "--crate-type", "rlib", "-o", LIBRARY, &root].map(str::to_owned);
    let output = compiler::rustc(toolchain, settings, work.path(), &[], &args)?;
    if output.ended == Ended::Exited(0) {
        let library = work.path().join(LIBRARY);
        let bytes = fs::read(&library).map_err(BuildError::io("read", library))?;
        return Ok((bytes, output.protections));
    }
    let messages = message::parse(&output.stderr.bytes, |_| true);
    let first = messages.first().map(|message| message.rendered.clone());
    let message =
        first.unwrap_or_else(|| format!("{:?}: {}", output.ended, compiler::last_words(&output.stderr.bytes)));
    Err(BuildError::Sdk { message })
}
