//! The data of a run: whether it is kept, and what is said about it.

use crate::settings::ReportFolder;
use crate::{Failure, chain, face};
use assay_data::{DataRecorder, Manifest, RunData, WriteError};
use assay_market::Scenario;
use std::num::NonZeroUsize;

/// Refuses a folder whose data is somebody else's, before any work is done; whether data is wanted or not, because what is there would be taken away.
pub(crate) fn check(folder: &ReportFolder, _is_wanted: bool) -> Result<(), Failure> {
    assay_data::check_folder(&RunData::folder_of(folder.path())).map_err(|error| failure(&error))
}

/// The recorder, if data is wanted. What an earlier run has left goes either way: it would not belong to the report any more.
pub(crate) fn recorder(
    wanted: bool,
    folder: &ReportFolder,
    scenario: &Scenario,
    threads: NonZeroUsize,
    name: impl FnOnce() -> String,
) -> Result<Option<DataRecorder>, Failure> {
    let folder = RunData::folder_of(folder.path());
    if !wanted {
        return assay_data::remove(&folder).map(|()| None).map_err(|error| failure(&error));
    }
    DataRecorder::create(&folder, scenario, &name(), threads).map(Some).map_err(|error| failure(&error))
}

/// Waits until the data is on the disk, and says so.
pub(crate) fn finish(recorder: Option<DataRecorder>) -> Result<(), Failure> {
    let Some(recorder) = recorder else { return Ok(()) };
    let manifest = recorder.finish().map_err(|error| {
        failure(&error).hint("the report is complete without it; the data written so far is marked `.partial`")
    })?;
    say(&manifest);
    Ok(())
}

fn say(manifest: &Manifest) {
    let mebibytes = manifest.bytes() as f64 / f64::from(1 << 20);
    face::step("Data", &format!("{} rows in {} tables, {mebibytes:.1} MiB", manifest.rows(), manifest.tables.len()));
}

fn failure(error: &WriteError) -> Failure {
    match error {
        WriteError::Taken { .. } => Failure::usage(error).hint("choose another folder with --out"),
        _ => Failure::infrastructure(chain(error)),
    }
}
