//! Finding the Python component, which is made at set-up and not part of the binary.

use sha2::Digest as _;
use std::path::{Path, PathBuf};

/// Names the component's file, before the cache folder is looked into.
pub const PYTHON_COMPONENT_VARIABLE: &str = "ASSAY_PYTHON_COMPONENT";
/// How a user gets one. For `hint:` lines.
pub const PYTHON_COMPONENT_HINT: &str = "run `make setup-python-guest` in a checkout (or guest-sdk/python/setup by hand); it needs python3 with venv and takes a minute";
/// What the tools of a cell are, for the prompt.
pub const TOOLS_HELP: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../guest-sdk/python/tools.txt"));
/// The largest component that is read.
const COMPONENT_BYTES_MAX: u64 = 128 << 20;

/// What the component is made of. The set-up script hashes the same files in the same order.
const SOURCES: [&[u8]; 15] = [
    include_bytes!("../../../../guest-sdk/python/requirements.txt"),
    include_bytes!("../../../../guest-sdk/wit/python.wit"),
    include_bytes!("../../../../guest-sdk/python/assay_guest.py"),
    include_bytes!("../../../../guest-sdk/python/assay_repl.py"),
    include_bytes!("../../../../guest-sdk/python/assay_stdlib.py"),
    include_bytes!("../../../../guest-sdk/python/assay_strategy.py"),
    include_bytes!("../../../../guest-sdk/python/assay_survey.py"),
    include_bytes!("../../../../guest-sdk/python/assay/__init__.py"),
    include_bytes!("../../../../guest-sdk/python/assay/exchange.py"),
    include_bytes!("../../../../guest-sdk/python/assay/market.py"),
    include_bytes!("../../../../guest-sdk/python/assay/orders.py"),
    include_bytes!("../../../../guest-sdk/python/assay/strategy.py"),
    include_bytes!("../../../../guest-sdk/python/assay/timer.py"),
    include_bytes!("../../../../guest-sdk/python/assay/units.py"),
    include_bytes!("../../../../guest-sdk/python/setup"),
];

/// Why there is no component.
#[derive(Debug, thiserror::Error)]
pub enum GuestError {
    /// It has not been made, or for other sources.
    #[error("failed to find the Python interpreter {path}")]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("failed to read the Python interpreter {path}")]
    Unreadable {
        /// Where it is.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is not a component.
    #[error("failed to use {path} as the Python interpreter: it is not a WebAssembly component")]
    Foreign {
        /// Where it is.
        path: PathBuf,
    },
    /// There is no home folder to look in.
    #[error(
        "failed to find the Python interpreter: none of {PYTHON_COMPONENT_VARIABLE}, XDG_CACHE_HOME and HOME is set"
    )]
    NoHome,
}

/// The first 16 hexadecimal digits of the SHA-256 hash of the sources, by which the set-up script names what it makes.
#[must_use]
pub fn python_guest_key() -> String {
    let hash = sha2::Sha256::digest(SOURCES.concat());
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The component's path: given, or from `variable`'s value (that of [`PYTHON_COMPONENT_VARIABLE`]), or in the cache folder.
///
/// # Errors
/// [`GuestError::NoHome`].
pub fn locate_component(
    given: Option<PathBuf>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<PathBuf, GuestError> {
    let set = |name: &str| environment(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = given.or_else(|| set(PYTHON_COMPONENT_VARIABLE)) {
        return Ok(path);
    }
    let cache =
        set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache"))).ok_or(GuestError::NoHome)?;
    Ok(cache.join("assay/python-guest").join(python_guest_key()).with_extension("wasm"))
}

/// Reads a component, and sees that it is one: bytes that were compiled elsewhere are not taken.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, GuestError> {
    let unreadable = |source| GuestError::Unreadable { path: path.to_path_buf(), source };
    let file = match std::fs::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(GuestError::Missing { path: path.to_path_buf() });
        }
        opened => opened.map_err(unreadable)?,
    };
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, COMPONENT_BYTES_MAX), &mut bytes).map_err(unreadable)?;
    if !bytes.starts_with(b"\0asm\x0d\0\x01\0") {
        return Err(GuestError::Foreign { path: path.to_path_buf() });
    }
    Ok(bytes)
}
