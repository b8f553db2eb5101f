//! The test bench that commands run tests on: the only place that knows which engine is behind it.

use crate::Failure;
use crate::face;
use crate::settings;
use assay_docker::{BenchSettings, DockerBench, EngineUrl, Progress, Stage};
use assay_grade::rule::Rule;
use assay_rollout::grading::{GradeSettings, Secret};
use assay_rollout::task::{ImageSource, LoadedTask};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long whatever was cut off may take to let go of its containers: an engine under load takes seconds to remove some. What it has not removed by
/// then, the next bench on it does, so nothing is worth a longer wait.
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(10);
/// After how much of it that is said.
const SHUTDOWN_SILENCE: Duration = Duration::from_secs(1);
/// Characters of an engine's words that are shown.
const STATUS_SHOWN_MAX: usize = 80;

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
    /// Where it is noted which images are waited for.
    pub waits: Waits,
}

/// The images that are being got and how far that is, for whoever has to explain a silence.
#[derive(Clone, Default)]
pub(crate) struct Waits(Arc<Mutex<BTreeMap<String, String>>>);

impl Waits {
    fn images(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line for each of them.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.images().values().cloned().collect()
    }

    /// Notes how far it is with an image. What is worth a line of its own comes back.
    fn hear(&self, progress: Progress<'_>) -> Option<String> {
        let (what, takes_long) = match progress.stage {
            Stage::Waiting => ("waiting for other images before getting", false),
            Stage::Pulling => ("pulling", true),
            Stage::Building => ("building", true),
            Stage::Reading => ("reading the files of", false),
            Stage::Over => {
                self.images().remove(progress.image);
                return None;
            }
        };
        let begun = format!("{what} the image {}", face::visible(progress.image));
        let status: String = progress.status.trim().chars().take(STATUS_SHOWN_MAX).collect();
        let line = if status.is_empty() { begun.clone() } else { format!("{begun} ({})", face::visible(&status)) };
        self.images().insert(progress.image.to_owned(), line);
        takes_long.then_some(begun)
    }
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

/// The engine at a URL, or the local one.
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
    let waits = setup.waits;
    bench.progress = Arc::new(move |progress: Progress<'_>| {
        let Some(text) = waits.hear(progress) else { return };
        if told.lock().unwrap_or_else(PoisonError::into_inner).insert(text.clone()) {
            face::note(&text);
        }
    });
    DockerBench::new(bench)
        .map_err(|error| Failure::infrastructure(&error).hint("check --docker-url and the folder of --image-cache"))
}

/// Waits for a bench to be closed, as far as that does not take too long, and says so where it takes its time.
pub(crate) async fn close(closing: impl Future<Output = ()>) {
    let mut closing = std::pin::pin!(closing);
    if tokio::time::timeout(SHUTDOWN_SILENCE, &mut closing).await.is_ok() {
        return;
    }
    face::note(&format!("waiting for the engine to remove containers, up to {} s", SHUTDOWN.as_secs()));
    if tokio::time::timeout(SHUTDOWN, closing).await.is_err() {
        face::note("the engine has not removed all containers yet; the next command that uses it does");
    }
}

/// How things are graded, with a secret of this process for what no submission may know.
pub(crate) fn grading(rule: Rule) -> Result<GradeSettings, Failure> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| Failure::infrastructure(format!("failed to get random bytes from the system: {error}")))?;
    Ok(GradeSettings { rule, secret: Secret::new(secret), ..GradeSettings::default() })
}

#[cfg(test)]
mod tests {
    use super::{Progress, Stage, Waits};

    #[test]
    fn what_is_waited_for_is_named_until_it_is_over() {
        let waits = Waits::default();
        for (image, stage, status, said, lines) in [
            ("a:1", Stage::Building, "", Some("building the image a:1"), &["building the image a:1"][..]),
            (
                "a:1",
                Stage::Building,
                "Step 1/2 : FROM b\n",
                Some("building the image a:1"),
                &["building the image a:1 (Step 1/2 : FROM b)"],
            ),
            (
                "c\u{1b}:1",
                Stage::Waiting,
                "",
                None,
                &[
                    "building the image a:1 (Step 1/2 : FROM b)",
                    "waiting for other images before getting the image c\\u{1b}:1",
                ],
            ),
            ("a:1", Stage::Over, "", None, &["waiting for other images before getting the image c\\u{1b}:1"]),
            ("c\u{1b}:1", Stage::Pulling, "", Some("pulling the image c\\u{1b}:1"), &["pulling the image c\\u{1b}:1"]),
            ("c\u{1b}:1", Stage::Over, "", None, &[]),
            ("c\u{1b}:1", Stage::Over, "", None, &[]),
        ] {
            let heard = waits.hear(Progress { image, stage, layer: None, status, bytes: None });
            assert_eq!(heard.as_deref(), said, "{image} {stage:?}");
            assert_eq!(waits.lines(), lines, "{image} {stage:?}");
        }
    }
}
