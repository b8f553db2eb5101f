//! What `assay gate report` does: it writes verdicts that there are already in the forms of CI, or signs them. A key can so stay off the machine that gates.
//!
//! Whoever names a whole folder of verdicts names its summary and signed verdicts as well: these are passed over.

use super::settings::ReportSettings;
use super::summary::SUMMARY_SCHEMA_NAME;
use super::{key, outputs};
use crate::input::{Input, interrupted};
use crate::{DONE, Ending, Failure, face};
use assay_gate::Verdict;
use serde::Deserialize;
use serde_json::Value;
use std::io::Read as _;
use std::path::Path;

/// Bytes of a file of verdicts: a batch of thousands.
const VERDICTS_BYTES_MAX: u64 = 256 << 20;

/// What a file holds.
#[derive(Deserialize)]
#[serde(untagged)]
enum Verdicts {
    One(Box<Verdict>),
    Many(Vec<Verdict>),
}

/// Writes verdicts that there are in the forms of CI, or signs them.
///
/// # Errors
/// Where a file has no verdict, a key cannot be used, or nothing can be written.
pub fn report(settings: &ReportSettings) -> Result<Ending, Failure> {
    let key = key::private_key(settings.output.key.as_deref())?;
    let mut all = Vec::new();
    for path in &settings.verdicts {
        let Some(verdicts) = read(path)? else { continue };
        match (verdicts, &key) {
            (Verdicts::One(verdict), key) => {
                if let Some(key) = key {
                    let file = path.with_extension("dsse.json");
                    outputs::sign(&verdict, key, &file)?;
                    face::step("Signed", &file.display().to_string());
                }
                all.push(*verdict);
            }
            (Verdicts::Many(verdicts), None) => all.extend(verdicts),
            (Verdicts::Many(_), Some(_)) => {
                let message = format!("{} is a list of verdicts, but a signature covers exactly one", path.display());
                return Err(
                    Failure::usage(message).hint("name the files that `assay gate --out` writes, one per submission")
                );
            }
        }
    }
    if all.is_empty() {
        return Err(Failure::usage("none of these files contains a verdict")
            .hint("name the files that `assay gate --out` writes, one per submission"));
    }
    outputs::write(&settings.output, &all, &settings.policy, settings.folder.as_deref())?;
    DONE
}

/// Nothing, where the file is one of those that lie beside verdicts.
fn read(path: &Path) -> Result<Option<Verdicts>, Failure> {
    let Input { name, source } = Input::open(path)?;
    let mut bytes = Vec::new();
    source.take(VERDICTS_BYTES_MAX).read_to_end(&mut bytes).map_err(|error| interrupted(&name, &error))?;
    match serde_json::from_slice(&bytes) {
        Ok(verdicts) => Ok(Some(verdicts)),
        Err(_) if is_beside(&bytes) => Ok(None),
        Err(error) => Err(Failure::usage(format!("{name} does not contain a verdict: {error}"))
            .hint("name files that `assay gate --out` or `--json` wrote")),
    }
}

/// Whether this is the summary of a batch or a signed verdict.
fn is_beside(bytes: &[u8]) -> bool {
    let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
    value["schema"]["name"] == SUMMARY_SCHEMA_NAME || value["payloadType"].is_string()
}
