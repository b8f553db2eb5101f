//! The test bench that commands run tests on: the only place that knows which engine is behind it.

use crate::exit::Failure;
use crate::settings;
use crate::ui;
use assay_docker::{BenchSettings, DockerBench, EngineUrl, Progress};
use assay_grade::rule::Rule;
use assay_rollout::grading::{GradeSettings, Secret};
use assay_rollout::task::{ImageSource, LoadedTask};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What a bench is opened with.
pub(crate) struct BenchSetup<'a> {
    /// The engine.
    pub url: EngineUrl,
    /// Where repositories of images are kept.
    pub image_cache: PathBuf,
    /// Where the whole output of each job is kept.
    pub outputs: &'a Path,
    /// Jobs at once.
    pub jobs: usize,
    /// How the images of the tasks are had, by name.
    pub images: BTreeMap<String, ImageSource>,
    /// Images that the bench pulled and leaves with the engine, if not all.
    pub pulled_max: Option<NonZeroUsize>,
}

/// How the images of tasks are had. Where two tasks say different things of one name, the one that lets less be pulled is believed. A script
/// that builds one is never run unasked.
pub(crate) fn images<'a>(tasks: impl IntoIterator<Item = &'a LoadedTask>) -> BTreeMap<String, ImageSource> {
    let mut images: BTreeMap<String, ImageSource> = BTreeMap::new();
    for task in tasks {
        let source = images.entry(task.task.bench.image.clone()).or_insert_with(|| task.image.clone());
        match (&*source, &task.image) {
            (ImageSource::Pull, _) | (ImageSource::Present, ImageSource::Build(_)) => source.clone_from(&task.image),
            _ => {}
        }
    }
    images
}

/// The engine that `--docker-url` names, or the local one.
pub(crate) fn engine(url: Option<&str>) -> Result<EngineUrl, Failure> {
    let Some(text) = url else { return Ok(EngineUrl::default()) };
    text.parse().map_err(|error| {
        Failure::usage(format!("{error}"))
            .hint("for example unix:///var/run/docker.sock, tcp://bench:2375, ssh://me@bench")
    })
}

/// Opens a bench; within a tokio runtime, and to be closed before that ends. That no engine answers is found by the first job.
pub(crate) fn open_bench(setup: BenchSetup<'_>) -> Result<DockerBench, Failure> {
    let mut bench = BenchSettings::new(setup.url, setup.outputs.to_owned(), setup.image_cache);
    bench.grading = NonZeroUsize::new(setup.jobs).unwrap_or(NonZeroUsize::MIN);
    bench.sources = setup.images;
    bench.pulled_max = setup.pulled_max;
    bench.logins = settings::docker_logins();
    let told: Mutex<BTreeSet<String>> = Mutex::default();
    bench.progress = Arc::new(move |progress: Progress<'_>| {
        if told.lock().unwrap_or_else(PoisonError::into_inner).insert(progress.image.to_owned()) {
            ui::note(&format!("getting the image {}", ui::lines(progress.image)));
        }
    });
    DockerBench::new(bench)
        .map_err(|error| Failure::infrastructure(&error).hint("check --docker-url and the folder of --image-cache"))
}

/// How things are graded, with a secret of this process for what no submission may know.
pub(crate) fn grading(rule: Rule) -> Result<GradeSettings, Failure> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| Failure::infrastructure(format!("failed to get random bytes from the system: {error}")))?;
    Ok(GradeSettings { rule, secret: Secret::new(secret), ..GradeSettings::default() })
}
