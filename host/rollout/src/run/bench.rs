//! The test bench of a run: it waits out brief failures of its engine, and measures how long containers ran for each episode.
//!
//! Invariants: an engine that has answered and then fails is asked again for [`OUTAGE_MAX`], and whoever needs it waits; one that never answered is
//! not waited for, because it may not exist. A job is only repeated where it has no result: nothing that a submission does makes it run again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use assay_grade::rule::Ended;
use assay_model::{Nanos, Time};
use assay_tree::Tree;
use futures::future::BoxFuture;

use crate::ports::{BenchError, Clock, Graded, Grader, Job, SoFar, TestBench, TestRun};
use crate::submission::Submission;

/// How long an engine that worked before may be away: long enough for a daemon, or its machine, to be started again.
pub const OUTAGE_MAX: Nanos = Nanos::from_secs(600);
/// The same where the engine answers but fails: that may be the image's doing, and then waiting does not help.
const FAILURE_MAX: Nanos = Nanos::from_secs(120);
/// The first pause, doubled after each failure up to the longest, which is that of the bench's own rest.
const PAUSE_MIN: Nanos = Nanos::from_secs(1);
const PAUSE_MAX: Nanos = Nanos::from_secs(30);

/// What is told of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BenchNews {
    /// It fails; jobs wait for it.
    Waiting(BenchError),
    /// It answers again.
    Back,
}

/// See the module documentation.
pub struct PatientBench {
    inner: Arc<dyn TestBench>,
    clock: Arc<dyn Clock>,
    tell: Box<dyn Fn(BenchNews) + Send + Sync>,
    /// Whether the engine has ever answered.
    has_answered: AtomicBool,
    /// Since when it has answered nobody.
    away_since: Mutex<Option<Time>>,
}

impl PatientBench {
    /// Waits for `inner` by this clock, and tells what it waits for.
    #[must_use]
    pub fn new(
        inner: Arc<dyn TestBench>,
        clock: Arc<dyn Clock>,
        tell: impl Fn(BenchNews) + Send + Sync + 'static,
    ) -> Self {
        let (has_answered, away_since) = (AtomicBool::new(false), Mutex::new(None));
        Self { inner, clock, tell: Box::new(tell), has_answered, away_since }
    }

    /// Asks until there is an answer, or the engine was away for too long.
    async fn patiently<'a, T>(
        &'a self,
        ask: impl Fn() -> BoxFuture<'a, Result<T, BenchError>> + Send + Sync,
    ) -> Result<T, BenchError> {
        let (mut since, mut pause) = (None::<Time>, PAUSE_MIN);
        loop {
            let error = match ask().await {
                Err(error) if patience(&error).is_some() => error,
                answer => {
                    self.answered();
                    return answer;
                }
            };
            if !self.has_answered.load(Ordering::Relaxed) {
                return Err(error);
            }
            let now = self.clock.now();
            let (is_news, away_since) = self.away(now);
            // Whoever comes late to an outage waits for what is left of it; one whose own jobs alone fail waits as long.
            let waited = now.since(away_since.min(*since.get_or_insert(now)));
            if patience(&error).is_none_or(|most| waited >= most) {
                return Err(error);
            }
            if is_news {
                (self.tell)(BenchNews::Waiting(error));
            }
            self.clock.sleep(pause).await;
            pause = Nanos(pause.0.saturating_mul(2)).min(PAUSE_MAX);
        }
    }

    /// The engine fails: whether that is new, and since when.
    fn away(&self, now: Time) -> (bool, Time) {
        let mut away = self.away_since.lock().unwrap_or_else(PoisonError::into_inner);
        (away.is_none(), *away.get_or_insert(now))
    }

    fn answered(&self) {
        self.has_answered.store(true, Ordering::Relaxed);
        let was_away = self.away_since.lock().unwrap_or_else(PoisonError::into_inner).take();
        if was_away.is_some() {
            (self.tell)(BenchNews::Back);
        }
    }
}

/// How long such trouble is waited out; none where waiting does not help.
const fn patience(error: &BenchError) -> Option<Nanos> {
    match error {
        BenchError::NoEngine { .. } | BenchError::Resting { .. } => Some(OUTAGE_MAX),
        BenchError::Failed { .. } => Some(FAILURE_MAX),
        BenchError::NoImage { .. } | BenchError::Invalid { .. } => None,
    }
}

impl TestBench for PatientBench {
    fn run(&self, job: Job) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        Box::pin(self.patiently(move || self.inner.run(job.clone())))
    }

    fn repository<'a>(
        &'a self,
        image: &'a str,
        folder: &'a str,
        keep_out: &'a [String],
    ) -> BoxFuture<'a, Result<Tree, BenchError>> {
        Box::pin(self.patiently(move || self.inner.repository(image, folder, keep_out)))
    }
}

/// What the bench did for one episode.
#[derive(Default)]
struct Meter {
    nanoseconds: AtomicU64,
    /// Whether the engine was to blame for a job without a result.
    has_failed: AtomicBool,
}

/// The bench as one episode uses it.
struct MeteredBench {
    inner: Arc<dyn TestBench>,
    meter: Arc<Meter>,
}

impl TestBench for MeteredBench {
    fn run(&self, job: Job) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        Box::pin(async move {
            let result = self.inner.run(job).await;
            let is_to_blame = match &result {
                Ok(run) => {
                    self.meter.nanoseconds.fetch_add(run.nanoseconds, Ordering::Relaxed);
                    matches!(run.ended, Ended::Lost(_))
                }
                Err(error) => patience(error).is_some(),
            };
            self.meter.has_failed.fetch_or(is_to_blame, Ordering::Relaxed);
            result
        })
    }

    fn repository<'a>(
        &'a self,
        image: &'a str,
        folder: &'a str,
        keep_out: &'a [String],
    ) -> BoxFuture<'a, Result<Tree, BenchError>> {
        self.inner.repository(image, folder, keep_out)
    }
}

/// The grader of one episode of a run, which knows what the bench did for it.
pub struct EpisodeGrader {
    inner: Box<dyn Grader>,
    meter: Arc<Meter>,
    bench: Arc<PatientBench>,
}

impl EpisodeGrader {
    /// Makes a grader with `make`, on the bench of the run.
    #[must_use]
    pub fn new<G: Grader + 'static>(bench: &Arc<PatientBench>, make: impl FnOnce(Arc<dyn TestBench>) -> G) -> Self {
        let meter = Arc::new(Meter::default());
        let metered = MeteredBench { inner: Arc::clone(bench) as Arc<dyn TestBench>, meter: Arc::clone(&meter) };
        Self { inner: Box::new(make(Arc::new(metered))), meter, bench: Arc::clone(bench) }
    }

    /// Whether an engine that works at other times failed the episode: then grading can be tried again.
    #[must_use]
    pub fn can_be_repeated(&self) -> bool {
        self.meter.has_failed.load(Ordering::Relaxed) && self.bench.has_answered.load(Ordering::Relaxed)
    }
}

impl Grader for EpisodeGrader {
    fn grade(&self, submission: Submission, so_far: SoFar) -> BoxFuture<'_, Graded> {
        self.inner.grade(submission, so_far)
    }

    fn shell(&self, command: String, tree: Tree) -> BoxFuture<'_, Result<TestRun, BenchError>> {
        self.inner.shell(command, tree)
    }

    fn bench_time(&self) -> Nanos {
        Nanos(self.meter.nanoseconds.load(Ordering::Relaxed))
    }
}
