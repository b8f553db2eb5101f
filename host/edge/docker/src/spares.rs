//! Containers that were started ahead: starting one is most of what a grading costs, and each waits for its job at its standard input.
//!
//! Invariants: a spare has run nothing but the first lines of `prologue.sh`, serves one job and is removed like any other container. One is made only
//! for a shape that was asked for before, so that a thousand tasks with an image each make none. At most [`SPARES_MAX`] wait, none longer
//! than [`LIFE`].

use crate::Shared;
use crate::container::{Container, body};
use assay_rollout::ports::{BenchError, BenchLimits, Job};
use bollard::container::AttachContainerResults;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;

/// Spares that wait or are being made: each holds some megabytes on the engine's machine.
const SPARES_MAX: usize = 4;
/// How long one waits: about the time that a model takes between two runs of the tests.
pub(crate) const LIFE: Duration = Duration::from_mins(3);
/// Shapes that are remembered.
const SHAPES_MAX: usize = 64;

/// What makes one container fit another job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    image_id: String,
    limits: BenchLimits,
}

impl Shape {
    pub(crate) fn of(job: &Job, image_id: &str) -> Self {
        // What is kept of the output is our side's business.
        let limits = BenchLimits { log_bytes: 0, artifact_bytes: 0, ..job.limits };
        Self { image_id: image_id.to_owned(), limits }
    }
}

/// A started container and its streams.
pub(crate) struct Started {
    pub(crate) container: Container,
    pub(crate) stream: AttachContainerResults,
}

/// Spares, and the tasks that make and retire them.
#[derive(Default)]
pub(crate) struct Spares(Mutex<State>);

#[derive(Default)]
struct State {
    /// The newest at the end.
    waiting: Vec<(Shape, Started)>,
    making: usize,
    /// Shapes of the last jobs, the newest at the end.
    asked: VecDeque<Shape>,
    tasks: JoinSet<()>,
}

impl Spares {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A spare of this shape, if one waits.
    pub(crate) fn take(&self, shape: &Shape) -> Option<Started> {
        let mut state = self.state();
        let index = state.waiting.iter().position(|(found, _)| found == shape)?;
        Some(state.waiting.remove(index).1)
    }

    /// Removes all, and makes no more.
    pub(crate) async fn close(&self) {
        let mut tasks = std::mem::take(&mut self.state().tasks);
        tasks.shutdown().await;
        self.clear();
    }

    /// As [`close`](Self::close), without waiting for it.
    pub(crate) fn clear(&self) {
        let mut state = self.state();
        state.tasks.abort_all();
        state.waiting.clear();
        // Whoever still runs must not find room to make another.
        state.making = SPARES_MAX;
    }
}

/// Makes a spare for the next job of this shape, if it is likely to come.
pub(crate) fn prepare_next(shared: &Arc<Shared>, shape: Shape, job: String, lifetime: Duration) {
    let mut state = shared.spares.state();
    while state.tasks.try_join_next().is_some() {}
    let known = state.asked.iter().position(|found| *found == shape);
    if let Some(index) = known {
        state.asked.remove(index);
    }
    state.asked.push_back(shape.clone());
    if state.asked.len() > SHAPES_MAX {
        state.asked.pop_front();
    }
    if known.is_none() {
        return;
    }
    if state.making + state.waiting.len() >= SPARES_MAX {
        // The oldest goes, if it is another shape's and this one has none.
        if state.waiting.is_empty() || state.waiting.iter().any(|(waits, _)| *waits == shape) {
            return;
        }
        state.waiting.remove(0);
    }
    state.making += 1;
    let weak = Arc::downgrade(shared);
    state.tasks.spawn(async move {
        let Some(shared) = weak.upgrade() else { return };
        let made = start(&shared, &shape, &job, LIFE + lifetime).await;
        let name = {
            let mut state = shared.spares.state();
            state.making -= 1;
            // A failure is the next job's to meet and to report.
            let Ok(started) = made else { return };
            let name = started.container.name.clone();
            state.waiting.push((shape, started));
            name
        };
        drop(shared);
        tokio::time::sleep(LIFE).await;
        if let Some(shared) = weak.upgrade() {
            shared.spares.state().waiting.retain(|(_, started)| started.container.name != name);
        }
    });
}

/// Creates and starts a container of this shape.
pub(crate) async fn start(
    shared: &Shared,
    shape: &Shape,
    job: &str,
    lifetime: Duration,
) -> Result<Started, BenchError> {
    let docker = shared.engine.docker()?;
    let body = body(&shape.image_id, &shape.limits, shared.processors().await?);
    let _slot = shared.starts.acquire().await;
    let container = Container::create(docker, &shared.removals, job, lifetime, body).await?;
    let stream = container.attach().await?;
    container.start().await?;
    Ok(Started { container, stream })
}
