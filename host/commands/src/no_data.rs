//! In the place of the data of a run where this build keeps none.

use crate::Failure;
use crate::settings::ReportFolder;
use assay_evaluate::{Recorder, SeedRecorder};
use assay_market::Scenario;
use assay_model::Seed;
use std::num::NonZeroUsize;

/// The file without which there is no data, as the whole program writes it.
const MANIFEST: &str = "data/data.json";

/// There is none.
pub(crate) enum DataRecorder {}

impl Recorder for DataRecorder {
    fn begin(&self, _: Seed) -> Box<dyn SeedRecorder + '_> {
        match *self {}
    }
}

/// Refuses to keep data, and a folder with the data of an earlier run: it would not belong to the report any more. The whole program takes it away.
pub(crate) fn check(folder: &ReportFolder, is_wanted: bool) -> Result<(), Failure> {
    if is_wanted {
        return Err(Failure::left_out("data tables"));
    }
    if folder.path().join(MANIFEST).symlink_metadata().is_err() {
        return Ok(());
    }
    let message = format!("{} holds the data of an earlier run", folder.path().display());
    Err(Failure::usage(message).hint("choose another folder with --out, or remove its folder `data`"))
}

pub(crate) fn recorder(
    _: bool,
    _: &ReportFolder,
    _: &Scenario,
    _: NonZeroUsize,
    _: impl FnOnce() -> String,
) -> Result<Option<DataRecorder>, Failure> {
    Ok(None)
}

pub(crate) fn finish(recorder: Option<DataRecorder>) -> Result<(), Failure> {
    match recorder {
        None => Ok(()),
        Some(recorder) => match recorder {},
    }
}
