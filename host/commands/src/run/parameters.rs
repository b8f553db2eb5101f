//! Parameters that were set: the strategy with other defaults for them.
//!
//! It is prepared anew from a source with those, so that the record holds what was run.

use crate::Failure;
use crate::prepare::{self, Prepared, Refused, Runnable};
use crate::settings::Machine;
use assay_model::nearest;
use assay_refine::core::plan::Tunable;
use assay_refine::source::with_defaults;
use assay_validator::Parameter;
use std::io::Write as _;
use std::path::Path;

/// Prepares a strategy with each of `changes`, a `NAME=VALUE`, as the default of a parameter.
pub(super) fn prepare(
    machine: &Machine,
    path: &Path,
    changes: &[String],
    episodes: usize,
) -> Result<Result<Prepared, Refused>, Failure> {
    let prepared = match prepare::prepare(machine, path, episodes)? {
        Ok(prepared) if !changes.is_empty() => prepared,
        other => return Ok(other),
    };
    let (text, declared) = match &prepared.code {
        Runnable::Compiled { checked, built } => match &built.source {
            Some(source) => (&source.text, checked.parameters()),
            None => {
                let single = format!("--param needs a single .rs or .py file, and {} is none", path.display());
                return Err(Failure::usage(single));
            }
        },
        Runnable::Python { text, parameters, .. } => (text, &parameters[..]),
    };
    let tunables: Vec<Tunable> = declared.iter().map(Tunable::from).collect();
    let mut values: Vec<f64> = tunables.iter().map(|tunable| tunable.default).collect();
    for change in changes {
        let (index, value) = setting(change, declared)?;
        values[index] = value;
    }
    let text = with_defaults(text, &tunables, &values).map_err(Failure::usage)?;
    let kept = |error| Failure::infrastructure(format!("failed to keep the source for a moment: {error}"));
    let folder = tempfile::tempdir().map_err(kept)?;
    let changed = folder.path().join(path.file_name().unwrap_or_default());
    std::fs::File::create_new(&changed).and_then(|mut file| file.write_all(text.as_bytes())).map_err(kept)?;
    prepare::prepare(machine, &changed, episodes)
}

/// The number of a parameter and its value, from `NAME=VALUE`.
fn setting(change: &str, declared: &[Parameter]) -> Result<(usize, f64), Failure> {
    let parts = change.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
    let (name, value) = parts.ok_or_else(|| {
        Failure::usage(format!("`{change}` is not a valid setting of a parameter")).hint("for example: --param lot=50")
    })?;
    let index = declared.iter().position(|parameter| parameter.name == name).ok_or_else(|| {
        let failure = Failure::usage(format!("the strategy declares no parameter `{name}`"));
        match nearest(name, declared.iter().map(|parameter| parameter.name.as_str())) {
            Some(nearest) => failure.hint(format!("did you mean `{nearest}`?")),
            None => failure
                .hint("`assay guide` shows how a strategy declares parameters, `assay guide --python` for Python"),
        }
    })?;
    Ok((index, declared[index].check(value).map_err(Failure::usage)?))
}
