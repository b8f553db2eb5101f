//! The data of a run: whether it is kept, and what is said about it.

use crate::exit::Failure;
use crate::settings::ReportFolder;
use crate::ui;
use assay_data::{DataRecorder, Manifest, WriteError};
use assay_evaluate::{Seeds, StrategyRecord};
use assay_market::Scenario;
use std::num::NonZeroUsize;

/// Refuses a folder whose data is somebody else's, before any work is done.
pub(super) fn check(folder: &ReportFolder) -> Result<(), Failure> {
    assay_data::check_folder(&folder.data()).map_err(|error| failure(&error))
}

/// The recorder, if data is wanted. What an earlier run has left goes either way: it would not belong to the report any more.
pub(super) fn recorder(
    wanted: bool,
    folder: &ReportFolder,
    scenario: &Scenario,
    strategy: &StrategyRecord,
    seeds: &Seeds,
    threads: NonZeroUsize,
) -> Result<Option<DataRecorder>, Failure> {
    if !wanted {
        return assay_data::remove(&folder.data()).map(|()| None).map_err(|error| failure(&error));
    }
    let run = run_name(scenario, strategy, seeds);
    DataRecorder::create(&folder.data(), scenario, &run, threads).map(Some).map_err(|error| failure(&error))
}

/// Equal for equal runs: a hash of all that a run depends on.
fn run_name(scenario: &Scenario, strategy: &StrategyRecord, seeds: &Seeds) -> String {
    const DIGITS: usize = 16;
    let mut hasher = blake3::Hasher::new();
    for part in [env!("CARGO_PKG_VERSION"), &strategy.component_hash, scenario.to_toml()] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    for seed in seeds.as_slice() {
        hasher.update(&seed.0.to_le_bytes());
    }
    hasher.finalize().to_hex()[..DIGITS].to_owned()
}

/// Waits until the data is on the disk, and says so.
pub(super) fn finish(recorder: Option<DataRecorder>) -> Result<(), Failure> {
    let Some(recorder) = recorder else { return Ok(()) };
    let manifest = recorder.finish().map_err(|error| {
        failure(&error).hint("the report is complete without it; what was written of the data is marked `.partial`")
    })?;
    say(&manifest);
    Ok(())
}

fn say(manifest: &Manifest) {
    let mebibytes = manifest.bytes() as f64 / f64::from(1 << 20);
    ui::step("Data", &format!("{} rows in {} tables, {mebibytes:.1} MiB", manifest.rows(), manifest.tables.len()));
}

fn failure(error: &WriteError) -> Failure {
    match error {
        WriteError::Taken { .. } => Failure::usage(error).hint("choose another folder with --out"),
        _ => Failure::infrastructure(super::chain(error)),
    }
}
