//! `assay gate keygen`: a key pair. Nothing that exists is overwritten.

use crate::args::KeygenArgs;
use crate::commands::DONE;
use crate::exit::{Exit, Failure};
use crate::{output, ui};
use assay_gate::sign::PrivateKey;
use std::path::PathBuf;

pub(crate) fn run(args: &KeygenArgs) -> Result<Exit, Failure> {
    let mut public_file = args.file.clone().into_os_string();
    public_file.push(".pub");
    let public_file = PathBuf::from(public_file);
    // A public key without its private one is of no use, so both places have to be free.
    for file in [&args.file, &public_file] {
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
    output::to_new_secret_file(&args.file, &pem)?;
    output::to_new_file(&public_file, |file| Ok(file.write_all(public_pem.as_bytes())?))?;
    ui::step("Created", &format!("{} (private: keep it secret, and back it up)", args.file.display()));
    ui::step("Created", &format!("{} (public: give it to those who verify)", public_file.display()));
    ui::note(&format!("key {}", key.public().id()));
    DONE
}
