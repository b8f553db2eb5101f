//! Where keys come from: a private key from a file that only its owner can read, or from the environment; a public key from a file.

use crate::exit::Failure;
use assay_gate::sign::{PrivateKey, PublicKey};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Holds the private key as PEM: how CI hands secrets to a job.
pub(crate) const KEY_VARIABLE: &str = "ASSAY_GATE_KEY";
/// Bytes of a key file: a PEM key has about a hundred.
const KEY_BYTES_MAX: u64 = 1 << 14;

/// The key that signs: of the file if there is one, otherwise of the environment, otherwise none. A variable that is set to nothing is not set: that
/// is what CI makes of a secret which does not exist.
pub(crate) fn private_key(file: Option<&Path>) -> Result<Option<PrivateKey>, Failure> {
    let (pem, name) = match file {
        Some(file) => (read_private(file)?, file.display().to_string()),
        None => match std::env::var(KEY_VARIABLE) {
            Ok(text) if !text.trim().is_empty() => (text, KEY_VARIABLE.to_owned()),
            Ok(_) | Err(std::env::VarError::NotPresent) => return Ok(None),
            Err(error) => return Err(Failure::usage(format!("{KEY_VARIABLE} is no key: {error}"))),
        },
    };
    let key = PrivateKey::from_pem(&pem).map_err(|error| {
        Failure::usage(format!("{name} is no key that signs: {error}")).hint("`assay gate keygen` makes one")
    })?;
    Ok(Some(key))
}

/// The key that verifies.
pub(crate) fn public_key(file: &Path) -> Result<PublicKey, Failure> {
    PublicKey::from_pem(&read(file)?).map_err(|error| {
        Failure::usage(format!("{} is no key that verifies: {error}", file.display()))
            .hint("name the .pub file that `assay gate keygen` wrote")
    })
}

fn read_private(file: &Path) -> Result<String, Failure> {
    let text = read(file)?;
    let mode = file.metadata().map(|found| found.permissions().mode() & 0o777).unwrap_or_default();
    if mode & 0o077 != 0 {
        let message = format!("{} can be read by others (mode {mode:03o}), so it may sign nothing", file.display());
        return Err(
            Failure::usage(message).hint(format!("chmod 600 {}, or make a new key if it has leaked", file.display()))
        );
    }
    Ok(text)
}

fn read(file: &Path) -> Result<String, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!("failed to read the key {}: {error}", file.display()))
            .hint("name a PEM file that is there and that you may read")
    };
    let mut text = String::new();
    File::open(file).and_then(|file| file.take(KEY_BYTES_MAX).read_to_string(&mut text)).map_err(unreadable)?;
    Ok(text)
}
