//! What `assay gate keygen` does: it makes a key pair. Nothing that exists is overwritten.

use crate::{DONE, Ending, Failure, face, output};
use assay_gate::sign::PrivateKey;
use std::path::{Path, PathBuf};

/// Makes a pair of keys for signing verdicts: `file`, which only its owner can read, and `file` with `.pub` for those who verify.
///
/// # Errors
/// Where one of the files exists or cannot be written, or there are no random bytes.
pub fn keygen(file: &Path) -> Result<Ending, Failure> {
    let mut public_file = file.as_os_str().to_owned();
    public_file.push(".pub");
    let public_file = PathBuf::from(public_file);
    // A public key without its private one is of no use, so both places have to be free.
    for file in [file, public_file.as_path()] {
        if file.symlink_metadata().is_ok() {
            return Err(Failure::usage(format!("{} already exists; no key was created", file.display()))
                .hint("choose another name; keep a key for as long as you need the verdicts that it signed"));
        }
    }
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| Failure::infrastructure(format!("failed to get random bytes from the system: {error}")))?;
    let key = PrivateKey::from_secret(&secret);
    secret.fill(0);
    let pem = key.to_pem().map_err(Failure::infrastructure)?;
    let public_pem = key.public().to_pem().map_err(Failure::infrastructure)?;
    output::to_new_secret_file(file, &pem)?;
    output::to_new_file(&public_file, |file| Ok(file.write_all(public_pem.as_bytes())?))?;
    face::step("Created", &format!("{} (private: keep it secret, and back it up)", file.display()));
    face::step("Created", &format!("{} (public: give it to those who verify)", public_file.display()));
    face::note(&format!("key {}", key.public().id()));
    DONE
}
