//! The baseline: another strategy in the strategy's place, by its file, by a run record that holds its source, or the one of the last report.

use super::RunSettings;
use crate::Failure;
use assay_evaluate::{SCHEMA_NAME, SCHEMA_VERSION, StrategyRecord, check_schema};
use assay_files::Links;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The word for the strategy of the last report.
const PREVIOUS: &str = "previous";
/// A record larger than this is not one.
const RECORD_BYTES_MAX: u64 = 1 << 30;

/// A baseline's file, and what it is called.
pub(super) struct Named {
    /// Name for people: the file's, or the one that the record knows.
    pub name: String,
    file: PathBuf,
    /// Holds the file if its text came out of a record.
    _folder: Option<TempDir>,
}

impl Named {
    pub(super) fn path(&self) -> &Path {
        &self.file
    }
}

/// What of a record matters here; the same in every version.
#[derive(Deserialize)]
struct Record {
    strategy: StrategyRecord,
}

/// The baseline that was asked for, if one was.
pub(super) fn find(settings: &RunSettings) -> Result<Option<Named>, Failure> {
    let Some(asked) = &settings.baseline else { return Ok(None) };
    if asked.as_os_str() == PREVIOUS {
        let record = settings.out.join("run.json");
        if !record.exists() {
            return Err(Failure::usage(format!(
                "there is no previous version: {} holds no report",
                settings.out.display()
            ))
            .hint("run once without --baseline, or name a strategy file or a run.json"));
        }
        return of_record(&record).map(Some);
    }
    if asked.extension().is_some_and(|extension| extension == "json") {
        return of_record(asked).map(Some);
    }
    let name = asked.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Some(Named { name, file: asked.clone(), _folder: None }))
}

fn of_record(path: &Path) -> Result<Named, Failure> {
    let shown = path.display();
    let unreadable = |why: &dyn std::fmt::Display| {
        Failure::usage(format!("failed to read the baseline from {shown}: {why}"))
            .hint("name a run.json that `assay run` wrote, or a strategy file")
    };
    let bytes = assay_files::read(path, Links::Followed, RECORD_BYTES_MAX).map_err(|error| unreadable(&error))?;
    check_schema(&bytes, SCHEMA_NAME, SCHEMA_VERSION).map_err(|error| unreadable(&error))?;
    let Record { strategy } = serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
    let Some(source) = strategy.source else {
        return Err(Failure::usage(format!("{shown} does not contain the source of its strategy")).hint(
            "only single-file strategies are stored with their source; name the crate or component with --baseline",
        ));
    };
    // Its name decides how it is read, and comes from outside: nothing but the last part of it is believed.
    let name = Path::new(&strategy.file_name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let extension = if name.ends_with(".py") { "py" } else { "rs" };
    let failed = |error: std::io::Error| Failure::infrastructure(format!("failed to write the baseline: {error}"));
    let folder = TempDir::new().map_err(failed)?;
    let file = folder.path().join(format!("baseline.{extension}"));
    std::fs::write(&file, source).map_err(failed)?;
    Ok(Named { name, file, _folder: Some(folder) })
}
