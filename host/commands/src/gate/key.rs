//! Where keys come from: a private key from a file that only its owner can read, or from the environment; a public key from a file.

use crate::Failure;
use assay_files::Links;
use assay_gate::sign::{PrivateKey, PublicKey};
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
            Err(error) => return Err(Failure::usage(format!("{KEY_VARIABLE} does not contain a key: {error}"))),
        },
    };
    let key = PrivateKey::from_pem(&pem).map_err(|error| {
        Failure::usage(format!("{name} is not a signing key: {error}")).hint("create one with `assay gate keygen`")
    })?;
    Ok(Some(key))
}

/// The key that verifies.
pub(crate) fn public_key(file: &Path) -> Result<PublicKey, Failure> {
    PublicKey::from_pem(&read(file)?.0).map_err(|error| {
        Failure::usage(format!("{} is not a verification key: {error}", file.display()))
            .hint("name the .pub file that `assay gate keygen` wrote")
    })
}

fn read_private(path: &Path) -> Result<String, Failure> {
    let (text, mode) = read(path)?;
    if mode & 0o077 != 0 {
        let message =
            format!("{} can be read by others (mode {mode:03o}), so it is not used for signing", path.display());
        return Err(Failure::usage(message)
            .hint(format!("run chmod 600 {}, or create a new key if it has leaked", path.display())));
    }
    Ok(text)
}

/// The text of a key file and who may read the file that it came from.
fn read(path: &Path) -> Result<(String, u32), Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("failed to read the key {}: {error}", path.display()))
            .hint(format!("name a PEM file that you can read; a private key can also be in {KEY_VARIABLE}"))
    };
    let file = assay_files::open(path, Links::Followed).map_err(|error| unreadable(&error))?;
    let mode = file.metadata().map_err(|error| unreadable(&error))?.permissions().mode() & 0o777;
    let mut text = String::new();
    file.take(KEY_BYTES_MAX).read_to_string(&mut text).map_err(|error| unreadable(&error))?;
    Ok((text, mode))
}
