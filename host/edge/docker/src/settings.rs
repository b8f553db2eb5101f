//! What a bench is told once.

use crate::url::EngineUrl;
use assay_rollout::task::ImageSource;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Containers that are created or removed at once: beyond about 32 the daemon itself stalls, and each takes a processor for 200 ms.
const STARTS: usize = 8;
/// Images that are pulled or built at once: one saturates most lines, two hide each other's pauses.
const PULLS: usize = 2;

/// How long the engine is waited for. What these bound is the engine's work; a job's own time is in its limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// Until an answer begins, in whole seconds. A daemon under load takes several for a start; one that takes this long is stuck.
    pub answer_seconds: u64,
    /// From a container's start until it is ready: unpacking the largest overlay on a loaded machine.
    pub prepare: Duration,
    /// From the end of a job's output until the engine knows how it ended.
    pub end: Duration,
    /// Between two looks at how much a job has written to its disk.
    pub look: Duration,
    /// How long after a create that was not answered its container may still come.
    pub late: Duration,
    /// Before the first repetition of a pull that a registry refused for now; it doubles each time.
    pub pull: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            answer_seconds: 120,
            prepare: Duration::from_mins(2),
            end: Duration::from_mins(1),
            look: Duration::from_secs(5),
            late: Duration::from_secs(30),
            pull: Duration::from_secs(5),
        }
    }
}

/// What is done about an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Others are pulled or built first.
    Waiting,
    /// It is pulled.
    Pulling,
    /// It is built.
    Building,
    /// Files are read from it.
    Reading,
    /// Nothing any more, however that came about.
    Over,
}

/// How far it is with an image. Each stage is told as it begins, without words of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress<'p> {
    /// The image.
    pub image: &'p str,
    /// What is done about it.
    pub stage: Stage,
    /// The layer, when it is about one.
    pub layer: Option<&'p str>,
    /// The engine's words.
    pub status: &'p str,
    /// Bytes that are done and bytes in all, where the engine knows.
    pub bytes: Option<(u64, u64)>,
}

/// Settings of a bench.
#[derive(Clone)]
pub struct BenchSettings {
    /// The engine.
    pub url: EngineUrl,
    /// Where the whole output of each job is kept, as `LABEL.log`.
    pub artifacts: PathBuf,
    /// Where repositories are kept; several processes may share it.
    pub cache: PathBuf,
    /// Jobs at once. The rollouts have a limit of their own, which is the runner's.
    pub grading: NonZeroUsize,
    /// Containers that are created or removed at once.
    pub starts: NonZeroUsize,
    /// Images that are pulled or built at once.
    pub pulls: NonZeroUsize,
    /// Whether an image that is not there, and that `sources` does not name, may be pulled.
    pub pull: bool,
    /// How images are had, by name, where that is known. Only [`ImageSource::Pull`] lets one be pulled: whoever owns a name in a registry would
    /// otherwise decide what a task is graded in.
    pub sources: BTreeMap<String, ImageSource>,
    /// The configuration in which `docker login` keeps who pulls; nobody in particular does without one.
    pub logins: Option<PathBuf>,
    /// How many images that it has pulled a bench leaves with the engine, if not all: those that were used longest ago are removed.
    pub pulled_max: Option<NonZeroUsize>,
    /// The SSH client of `ssh://` engines.
    pub ssh: PathBuf,
    /// How long the engine is waited for.
    pub patience: Patience,
    /// Hears how far it is with images.
    pub progress: Arc<dyn Fn(Progress<'_>) + Send + Sync>,
}

impl BenchSettings {
    /// The usual settings: as many jobs at once as there are processors here.
    #[must_use]
    pub fn new(url: EngineUrl, artifacts: PathBuf, cache: PathBuf) -> Self {
        let at_least_one = |number| NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN);
        Self {
            url,
            artifacts,
            cache,
            grading: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            starts: at_least_one(STARTS),
            pulls: at_least_one(PULLS),
            pull: true,
            sources: BTreeMap::new(),
            logins: None,
            pulled_max: None,
            ssh: "ssh".into(),
            patience: Patience::default(),
            progress: Arc::new(|_| ()),
        }
    }

    /// Tells of a stage that begins.
    pub(crate) fn tell(&self, image: &str, stage: Stage) {
        (self.progress)(Progress { image, stage, layer: None, status: "", bytes: None });
    }

    /// Tells that it is over with an image once what this returns is dropped.
    pub(crate) fn until_over<'s>(&'s self, image: &'s str) -> Busy<'s> {
        Busy { settings: self, image }
    }

    /// Artifacts that are still being written.
    pub(crate) fn unfinished(&self) -> PathBuf {
        self.artifacts.join("unfinished")
    }
}

/// Something is done about an image.
pub(crate) struct Busy<'s> {
    settings: &'s BenchSettings,
    image: &'s str,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.settings.tell(self.image, Stage::Over);
    }
}
