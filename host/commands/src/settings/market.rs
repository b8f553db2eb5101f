//! A market by its name or its file, with what is to be changed in it.

use crate::{Failure, market_data};
use assay_files::Links;
use assay_market::{Draft, Scenario, ScenarioError, ScenarioFault};
use std::ffi::OsStr;
use std::path::Path;

/// The market of commands that are not told another.
pub const DEFAULT_SCENARIO: &str = "calm";

/// A scenario file larger than this is not one.
const SCENARIO_BYTES_MAX: u64 = 1 << 20;

/// A preset by name, or a TOML file by path, with the data files that it names.
pub(crate) fn scenario(text: &str) -> Result<Scenario, Failure> {
    changed_scenario(text, &[])
}

/// The same with `changes` on top, each a `key=value` as in TOML: `strategy.latency="5ms"`.
pub(crate) fn changed_scenario(text: &str, changes: &[String]) -> Result<Scenario, Failure> {
    let path = Path::new(text);
    if !is_scenario_path(text) && !assay_market::presets().iter().any(|preset| preset.name == text) {
        return Err(unknown_scenario(text));
    }
    let failed = |why: &dyn std::fmt::Display| Failure::usage(format!("failed to read the scenario {text}: {why}"));
    let explained = |error: ScenarioError| {
        // The first line is the base's.
        let change = error.line.checked_sub(2).and_then(|line| changes.get(line));
        let failure = match change {
            Some(change) => {
                let key = if error.key.is_empty() { String::new() } else { format!("`{}`: ", error.key) };
                Failure::usage(format!("failed to change the scenario {text} by --set '{change}': {key}{}", error.what))
            }
            None => failed(&error),
        };
        let syntax = "a change is written as in TOML, with quotes around text: --set 'strategy.latency=\"5ms\"'";
        match (error.hint, change, error.what) {
            (Some(hint), ..) => failure.hint(hint),
            (None, Some(_), ScenarioFault::Syntax(_)) => failure.hint(syntax),
            _ => failure,
        }
    };
    if changes.is_empty() && !is_scenario_path(text) {
        // As it was written: its text is what is shown, and what its hash is of.
        return Scenario::preset(text).ok_or_else(|| unknown_scenario(text));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let toml = if changes.is_empty() && is_scenario_path(text) {
        scenario_text(path).map_err(|why| failed(&why))?
    } else {
        // The last part of the path, because bases are looked for in the same folder.
        let base =
            if is_scenario_path(text) { path.file_name().unwrap_or_default().to_string_lossy() } else { text.into() };
        format!("base = {}\n{}\n", toml_string(&base), changes.join("\n"))
    };
    let mut find = |name: &str| {
        if !is_scenario_path(name) {
            return Err(format!("unknown preset `{name}`"));
        }
        let read = if path.file_name() == Some(OsStr::new(name)) {
            // The file that the user has named; whatever names it below is told that it goes in a circle.
            scenario_text(path)
        } else {
            base_text(folder, name)
        };
        read.map_err(|why| format!("failed to read {name}: {why}"))
    };
    let draft = Draft::parse_over(&toml, &mut find).map_err(explained)?;
    let data = market_data::load(&draft, folder)?;
    draft.complete(data).map_err(explained)
}

fn is_scenario_path(text: &str) -> bool {
    Path::new(text).extension().is_some_and(|extension| extension == "toml") || text.contains('/')
}

/// The text of a scenario file.
fn scenario_text(path: &Path) -> Result<String, String> {
    assay_files::read_text(path, Links::Followed, SCENARIO_BYTES_MAX).map_err(|error| error.to_string())
}

/// The text of a base. Scenarios come from others, so what one names is opened only where it lies itself, and not through a link.
fn base_text(folder: &Path, name: &str) -> Result<String, String> {
    let plain = name.trim_start_matches("./");
    if plain.contains('/') || plain == ".." {
        return Err("a base is a preset, or a file in the folder of the scenario".to_owned());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    assay_files::read_text(&folder.join(plain), Links::Refused, SCENARIO_BYTES_MAX).map_err(|error| error.to_string())
}

/// Text as a TOML string: what JSON escapes, TOML's basic strings escape alike.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The error for a name that is not a preset, with the nearest one.
pub(crate) fn unknown_scenario(name: &str) -> Failure {
    let failure = Failure::usage(format!("there is no scenario `{name}`"));
    match assay_market::nearest(name) {
        Some(nearest) => failure.hint(format!("did you mean `{nearest}`? `assay scenarios` lists them all")),
        None => failure.hint("`assay scenarios` lists them all; a file needs a path that ends in .toml"),
    }
}
