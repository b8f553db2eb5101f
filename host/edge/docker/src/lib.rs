//! The test bench on a Docker engine: a fresh container for each job, one stream in, one stream out, and nothing left behind.
//!
//! Invariants: a container has no network, few capabilities and named limits, and is removed when its job is over, however that comes about:
//! the job's end, a dropped future, [`DockerBench::close`], or the reaper of the next process after a `kill -9`. How a command ended is the
//! engine's word. This crate is the only user of `bollard`.
//!
//! Everything that a job brings (script, removals, files) goes in through the standard input of the container's first process, which is
//! `prologue.sh`; what the script prints comes out of its standard output, and on its standard error come "ready" and the `JUnit` report. The engine's
//! own calls for copying files cost 60 ms each, since the daemon starts a process of itself for each of them.

mod breaker;
mod container;
mod credentials;
mod engine;
mod error;
mod health;
mod images;
mod output;
mod payload;
mod reaper;
mod repository;
mod run;
mod settings;
mod single;
mod spares;
mod ssh;
mod url;

pub use health::{Health, engine_version};
pub use reaper::Reaped;
pub use settings::{BenchSettings, Patience, Progress, Stage};
pub use url::{EngineUrl, InvalidUrl};

use assay_rollout::owner::remove_abandoned;
use assay_rollout::ports::{BenchError, Job, TestBench, TestRun};
use assay_rollout::repository::RepositoryCache;
use assay_tree::Tree;
use breaker::Breaker;
use container::Removals;
use engine::Engine;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use images::Images;
use single::SingleFlight;
use spares::Spares;
use std::sync::Arc;
use tokio::sync::{OnceCell, Semaphore, watch};
use tokio::task::AbortHandle;

/// A bench on one engine. It must be made within a tokio runtime, and [`close`](Self::close)d before that ends.
pub struct DockerBench {
    shared: Arc<Shared>,
    /// The health monitor and the periodic reaper.
    background: Vec<AbortHandle>,
}

/// What jobs and background tasks share.
struct Shared {
    engine: Engine,
    settings: BenchSettings,
    images: Images,
    cache: RepositoryCache,
    imports: SingleFlight<Result<Tree, BenchError>>,
    removals: Arc<Removals>,
    spares: Spares,
    breaker: Breaker,
    health: watch::Receiver<Health>,
    starts: Semaphore,
    grading: Semaphore,
    /// The engine's processors, once it was asked.
    processors: OnceCell<u32>,
}

impl DockerBench {
    /// A bench. That no engine answers is not an error here: jobs say so, and [`health`](Self::health) does.
    ///
    /// # Errors
    /// When the folders of the settings cannot be made, or no connection can even be set up.
    pub fn new(settings: BenchSettings) -> Result<Self, BenchError> {
        let failed = |why: String| BenchError::Failed { why };
        let unfinished = settings.unfinished();
        std::fs::create_dir_all(&unfinished)
            .and_then(|()| remove_abandoned(&unfinished))
            .map_err(|error| failed(format!("failed to make {}: {error}", unfinished.display())))?;
        let cache = RepositoryCache::open(&settings.cache).map_err(|error| failed(error.to_string()))?;
        let engine = Engine::new(&settings)?;
        let (health, monitor) = health::watch(engine.clone());
        let shared = Arc::new(Shared {
            images: Images::new(engine.clone(), &settings),
            imports: SingleFlight::default(),
            spares: Spares::default(),
            removals: Arc::new(Removals::new(settings.patience.late)),
            breaker: Breaker::default(),
            starts: Semaphore::new(settings.starts.get()),
            grading: Semaphore::new(settings.grading.get()),
            processors: OnceCell::new(),
            cache,
            engine,
            health,
            settings,
        });
        let reaper = tokio::spawn(reaper::periodically(shared.engine.clone())).abort_handle();
        Ok(Self { shared, background: vec![monitor, reaper] })
    }

    /// Whether the engine answers, observed every few seconds.
    #[must_use]
    pub fn health(&self) -> watch::Receiver<Health> {
        self.shared.health.clone()
    }

    /// Asks the engine now.
    ///
    /// # Errors
    /// [`BenchError::NoEngine`] if it does not answer.
    pub async fn check(&self) -> Result<(), BenchError> {
        health::ping(&self.shared.engine).await.map(drop)
    }

    /// Removes the containers of processes that are gone and those past their deadline. It is also done at the start and every minute.
    ///
    /// # Errors
    /// When the engine fails.
    pub async fn reap(&self) -> Result<Reaped, BenchError> {
        reaper::reap(&self.shared.engine).await
    }

    /// Sees to it that an image is there: present, built from the folder that the settings name for it, or pulled.
    ///
    /// # Errors
    /// [`BenchError::NoImage`] if it cannot be had.
    pub async fn prepare(&self, image: &str) -> Result<(), BenchError> {
        self.shared.images.get(image).await.map(drop)
    }

    /// Breaks off pulls, builds and reading, which nobody waits for any more, and waits until every container of this bench is removed. Jobs that
    /// still run are the caller's to drop first.
    pub async fn close(self) {
        self.shared.spares.close().await;
        // Reading waits for images.
        self.shared.imports.stop().await;
        self.shared.images.stop().await;
        self.shared.removals.finish().await;
    }
}

impl Shared {
    /// The engine's processors.
    async fn processors(&self) -> Result<u32, BenchError> {
        let ask = || async {
            let info = self.engine.docker()?.info().await.map_err(error::failed("ask the engine about itself"))?;
            Ok(info.ncpu.and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX))
        };
        self.processors.get_or_try_init(ask).await.copied()
    }
}

impl Drop for DockerBench {
    fn drop(&mut self) {
        self.background.iter().for_each(AbortHandle::abort);
        self.shared.spares.clear();
    }
}

impl TestBench for DockerBench {
    fn run(&self, job: Job) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        run::run(&self.shared, job).boxed()
    }

    fn repository<'a>(
        &'a self,
        image: &'a str,
        folder: &'a str,
        keep_out: &'a [String],
    ) -> BoxFuture<'a, Result<Tree, BenchError>> {
        repository::repository(&self.shared, image, folder, keep_out).boxed()
    }
}
