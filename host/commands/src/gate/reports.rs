//! What is asked for beside the verdicts on the screen: JSON, the forms of CI, signatures.

use super::settings::GateSettings;
use super::submissions::Batch;
use super::{key, outputs};
use crate::{Failure, face, output};
use assay_gate::Verdict;
use assay_gate::sign::{PrivateKey, sign};
use std::path::{Path, PathBuf};

/// See the module documentation.
pub(super) struct Reports<'a> {
    settings: &'a GateSettings,
    key: Option<PrivateKey>,
    /// The verdicts lie in a folder of their own.
    is_batch: bool,
    folder: PathBuf,
}

impl<'a> Reports<'a> {
    pub(super) fn resolve(settings: &'a GateSettings, batch: &Batch) -> Result<Self, Failure> {
        let key = key::private_key(settings.output.key.as_deref())?;
        if settings.output.key.is_some() && !batch.is_batch && settings.json.is_none() {
            return Err(Failure::usage("no path is given for the signed verdict").hint(
                "it is written next to the verdict: name the verdict's file with --json, or a folder with --out",
            ));
        }
        Ok(Self { settings, key, is_batch: batch.is_batch, folder: batch.folder.clone() })
    }

    /// Shows a result. Where annotations are asked for, nothing else goes to standard output.
    pub(super) fn show(&self, text: &str) {
        if self.settings.output.github { face::note(text) } else { face::out(text) }
    }

    /// The signed verdict, if there is a key and something to sign.
    pub(super) fn signed(&self, verdict: &Verdict) -> Result<Option<Vec<u8>>, Failure> {
        // Of a submission that could not be read there is nothing to name.
        let Some(key) = self.key.as_ref().filter(|_| verdict.submission.hash.is_some()) else { return Ok(None) };
        let failed = |error| Failure::infrastructure(format!("failed to sign the verdict: {error}"));
        sign(verdict, key).map(Some).map_err(failed)
    }

    /// Writes everything that was asked for.
    pub(super) fn write(&self, verdicts: &[Verdict]) -> Result<(), Failure> {
        let Self { settings, .. } = self;
        if let Some(path) = &settings.json {
            match verdicts {
                [verdict] if !self.is_batch => {
                    write_json(path, verdict)?;
                    if let Some(signed) = self.signed(verdict)? {
                        output::replace(&beside(path), &signed)?;
                    }
                }
                all => write_json(path, &all)?,
            }
        }
        outputs::write(&settings.output, verdicts, &settings.policy, Some(&self.folder))
    }
}

fn write_json<T: serde::Serialize>(path: &Path, value: &T) -> Result<(), Failure> {
    let mut json = serde_json::to_vec_pretty(value)
        .map_err(|error| Failure::infrastructure(format!("failed to write {}: {error}", path.display())))?;
    json.push(b'\n');
    output::replace(path, &json)
}

/// `verdict.json` is signed in `verdict.dsse.json`.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("dsse.json")
}
