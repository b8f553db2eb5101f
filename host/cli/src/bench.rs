//! The test bench that commands run tests on: the only place that knows which engine is behind it.

use assay_rollout::ports::TestBench;
use assay_rollout::task::{ImageSource, LoadedTask};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::exit::Failure;

/// What a bench is opened with.
pub(crate) struct BenchSetup<'a> {
    /// The engine, where one is named.
    pub url: Option<&'a str>,
    /// Where repositories of images are kept.
    pub image_cache: PathBuf,
    /// Where the whole output of each job is kept.
    pub outputs: &'a Path,
    /// Jobs at once.
    pub jobs: usize,
    /// Images that are built where they are not there: name to the folder with the `Dockerfile`.
    pub builds: BTreeMap<String, PathBuf>,
}

/// The images that tasks bring a `Dockerfile` for. A script is never run unasked.
pub(crate) fn builds(tasks: &[LoadedTask]) -> BTreeMap<String, PathBuf> {
    tasks
        .iter()
        .filter_map(|task| match &task.image {
            ImageSource::Build(path) if path.is_dir() => Some((task.task.bench.image.clone(), path.clone())),
            _ => None,
        })
        .collect()
}
