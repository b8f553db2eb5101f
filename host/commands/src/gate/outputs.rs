//! Verdicts in the forms of CI, and signed.

use super::settings::VerdictOutputSettings;
use crate::{Failure, face, output};
use assay_gate::Verdict;
use assay_gate::output::{Context, annotations, code_quality, junit, markdown, sarif};
use assay_gate::sign::{self, PrivateKey, SignError};
use std::path::Path;

/// Writes all verdicts of a command in each form that was asked for. `folder` is what their names are relative to. Forms of CI name files from the root of
/// the repository, which is where CI starts commands.
pub(crate) fn write(
    settings: &VerdictOutputSettings,
    verdicts: &[Verdict],
    policy: &Path,
    folder: Option<&Path>,
) -> Result<(), Failure> {
    let (policy_file, folder) = (from_here(policy), folder.map(from_here).unwrap_or_default());
    let context = Context { policy_file: &policy_file, folder: &folder, exit_code: super::ending_of(verdicts) as u8 };
    let forms: [(&Option<_>, &dyn Fn() -> String); 4] = [
        (&settings.junit, &|| junit(verdicts)),
        (&settings.sarif, &|| format!("{}\n", sarif(verdicts, &context))),
        (&settings.markdown, &|| markdown(verdicts, &context)),
        (&settings.code_quality, &|| format!("{}\n", code_quality(verdicts, &context))),
    ];
    for (file, form) in forms {
        if let Some(file) = file {
            output::replace(file, form().as_bytes())?;
        }
    }
    let commands = annotations(verdicts, &context);
    if settings.github && !commands.is_empty() {
        face::out(commands.trim_end());
    }
    Ok(())
}

/// Signs a verdict into a file. One about what could not be read is not signed, which is said.
pub(crate) fn sign(verdict: &Verdict, key: &PrivateKey, file: &Path) -> Result<(), Failure> {
    match sign::sign(verdict, key) {
        Ok(signed) => output::replace(file, &signed),
        Err(error @ SignError::NoHash(_)) => {
            face::warn(&format!("not signed: {error}"));
            Ok(())
        }
        Err(error) => {
            Err(Failure::usage(format!("the verdict on {} cannot be signed: {error}", verdict.submission.name)))
        }
    }
}

/// A path as seen from the working directory, if it is below it.
fn from_here(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok());
    below.unwrap_or(path).to_string_lossy().into_owned()
}
