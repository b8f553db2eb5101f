//! The guest SDK, carried inside this library and compiled once per compiler, flags and SDK.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use assay_jail::Ended;

use crate::BuildSettings;
use crate::compiler;
use crate::error::{BuildError, Exceeded};
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
    "parameter.rs",
    "strategy.rs",
    "timer.rs",
    "units.rs",
    "wire.rs",
];

/// The interface that the SDK implements.
pub(crate) const WIT: &str = include_str!("../../../guest-sdk/wit/strategy.wit");

/// Folder that the SDK is unpacked to, relative to where it is compiled; panics in it name it.
pub(crate) const FOLDER: &str = "assay-sdk";

/// The compiled SDK, in the folder of the compilation that makes or uses it.
pub(crate) const LIBRARY: &str = "libassay_sdk.rlib";

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

/// Compiles the SDK.
pub(crate) fn compile(toolchain: &Toolchain, settings: &BuildSettings) -> Result<Vec<u8>, BuildError> {
    let work = compiler::work_folder(settings)?;
    let folder = work.path().join(FOLDER);
    fs::create_dir(&folder).map_err(BuildError::io("make the folder", &folder))?;
    unpack(&folder)?;
    let root = format!("{FOLDER}/lib.rs");
    let args = ["--crate-name", "assay_sdk", "--crate-type", "rlib", "-o", LIBRARY, &root].map(str::to_owned);
    let settings = BuildSettings { allowance: None, ..settings.clone() };
    let output = compiler::rustc(toolchain, &settings, work.path(), &args)?;
    if output.ended == Ended::Exited(0) {
        let library = work.path().join(LIBRARY);
        return fs::read(&library).map_err(BuildError::io("read", library));
    }
    let messages = message::parse(&output.stderr, output.ended, |_| true);
    let first = messages.first().map(|message| message.rendered.clone());
    let message =
        first.unwrap_or_else(|| format!("{:?}: {}", output.ended, compiler::last_words(&output.stderr.bytes)));
    Err(BuildError::Sdk { message })
}

/// Whose fault it is that a compiler crashed, twice: the source's, if the same compiler compiles the SDK right afterwards, within the same limits and on
/// the same disk. Otherwise nobody knows, and the error stays what it was.
pub(crate) fn blamed(error: BuildError, toolchain: &Toolchain, settings: &BuildSettings) -> BuildError {
    match error {
        BuildError::CompilerFailed { .. } if compile(toolchain, settings).is_ok() => {
            BuildError::CompilerExceeded(Exceeded::Crash)
        }
        error => error,
    }
}
