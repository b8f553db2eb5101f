//! What `assay gate verify` does: it says whether a signed verdict holds, and whether it is about these files. Every part is said, also after one that
//! does not match.

use super::key;
use super::settings::VerifyVerdictSettings;
use crate::{Ending, Failure, face};
use assay_compile::Source;
use assay_files::Links;
use assay_gate::Verdict;
use assay_gate::policy::{POLICY_BYTES_MAX, Policy};
use assay_gate::sign::{self, ENVELOPE_BYTES_MAX, PublicKey};
use assay_gate::verdict::Seeds;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Checks a signed verdict, and that it is about the files that are named. One that does not hold is [`Ending::Rejected`].
///
/// # Errors
/// Where a file or the key cannot be read.
pub fn verify(settings: &VerifyVerdictSettings) -> Result<Ending, Failure> {
    let public_key = key::public_key(&settings.public_key)?;
    let mut file = Vec::new();
    let limit = ENVELOPE_BYTES_MAX as u64 + 1;
    open(&settings.verdict)?
        .take(limit)
        .read_to_end(&mut file)
        .map_err(|error| unreadable(&settings.verdict, &error))?;
    // Hashed before anything is said, so that a wrong name is a wrong command and no verdict.
    let submission = settings.submission.as_deref().map(|path| Ok((path, submission_hash(path)?))).transpose()?;
    let policy = settings.policy.as_deref().map(|path| Ok((path, hash(path)?))).transpose()?;
    let verdict = match sign::verify(&file, &public_key) {
        Ok(verdict) => verdict,
        Err(refusal) => {
            part("not valid", &format!("{}: {refusal}", settings.verdict.display()));
            return Ok(Ending::Rejected);
        }
    };
    show(&verdict, &public_key);
    let mut holds = settings.policy.as_deref().is_none_or(|path| answers(&verdict, path));
    let parts = [
        ("submission", verdict.submission.hash.as_deref(), submission),
        ("policy", Some(verdict.policy.hash.as_str()), policy),
    ];
    for (name, stated, found) in parts {
        let stated = stated.unwrap_or("nothing");
        match found {
            None => part(name, &format!("{stated}, not compared; use --{name} FILE to compare it")),
            Some((path, found)) if found == stated => part(name, &format!("{stated}, matches {}", path.display())),
            Some((path, found)) => {
                holds = false;
                part(
                    name,
                    &format!("does not match: the verdict is about {stated}, but {} is {found}", path.display()),
                );
            }
        }
    }
    part(if holds { "valid" } else { "not valid" }, &settings.verdict.display().to_string());
    Ok(if holds { Ending::Success } else { Ending::Rejected })
}

/// Whether the verdict has a check for each rule of the policy. A policy that it is not about is reported by its hash.
fn answers(verdict: &Verdict, path: &Path) -> bool {
    let bytes = assay_files::read(path, Links::Followed, POLICY_BYTES_MAX as u64).unwrap_or_default();
    let Ok(policy) = Policy::parse(&String::from_utf8_lossy(&bytes)) else { return true };
    let holds = verdict.policy.hash != policy.hash || verdict.answers(&policy);
    if !holds {
        part("checks", "do not match: the verdict does not answer each rule of the policy once in each scenario");
    }
    holds
}

/// What the verdict says, and about what.
fn show(verdict: &Verdict, key: &PublicKey) {
    part("signature", &format!("holds, key {}", key.id()));
    part("decision", &format!("{}, which follows from its reasons: {}", verdict.decision.word(), verdict.summary));
    part("name", &verdict.submission.name);
    let submission = &verdict.submission;
    let parts = [
        ("component", &submission.component_hash),
        ("SDK", &submission.sdk_version),
        ("SDK hash", &submission.sdk_hash),
        ("rustc", &submission.rustc_version),
        ("Python", &verdict.tool.python_component),
    ];
    for (name, value) in parts {
        if let Some(value) = value {
            part(name, value);
        }
    }
    part("engine", &format!("Assay {}, wasmtime {}", verdict.tool.assay, verdict.tool.wasmtime));
    for trial in &verdict.trials {
        let seeds = match &trial.seeds {
            Seeds::Public { seeds } => format!("{} public seeds", seeds.len()),
            Seeds::Hidden { count, commitment } => format!("{count} hidden seeds, commitment {commitment}"),
        };
        part("scenario", &format!("{} {}, {seeds}, record {}", trial.scenario, trial.scenario_hash, trial.record_hash));
    }
}

fn part(name: &str, text: &str) {
    face::out(&format!("{name:>10}  {}", face::visible(text)));
}

/// As the verdict has it: of a file's bytes, or of names and contents of a crate's files.
fn submission_hash(path: &Path) -> Result<String, Failure> {
    if !path.is_dir() {
        return hash(path);
    }
    let source = Source::open(path)
        .map_err(|error| Failure::usage(error).hint("name the file or crate folder that was gated"))?;
    Ok(source.hash().to_string())
}

/// BLAKE3 of a file in hexadecimal.
fn hash(path: &Path) -> Result<String, Failure> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(open(path)?).map_err(|error| unreadable(path, &error))?;
    Ok(hasher.finalize().to_hex().to_string())
}

fn open(path: &Path) -> Result<File, Failure> {
    assay_files::open(path, Links::Followed).map_err(|error| unreadable(path, &error.into()))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("failed to read {}: {error}", path.display()))
        .hint("name an existing file that you can read")
}
