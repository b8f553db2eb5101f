//! Work that blocks, on threads of its own, a few pieces at a time.

use crate::app::App;
use crate::library::Library;
use crate::pages::Frame;
use crate::views::{Problem, View};
use axum::response::Response;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long a page waits for its turn.
const WORK_WAIT: Duration = Duration::from_secs(20);

/// Waits for a turn, which whoever reads something large takes first.
pub(crate) async fn turn(app: &App) -> Result<OwnedSemaphorePermit, Problem> {
    turn_of(&app.work).await
}

/// Waits for a turn of some kind.
pub(crate) async fn turn_of(turns: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    let turn = tokio::time::timeout(WORK_WAIT, Arc::clone(turns).acquire_owned()).await;
    turn.ok().and_then(Result::ok).ok_or_else(Problem::busy)
}

/// Makes a page on a thread that may block.
pub(crate) async fn work(app: Arc<App>, make: impl FnOnce(Frame<'_>, &Library) -> View + Send + 'static) -> Response {
    match turn(&app).await {
        Ok(turn) => work_in_turn(app, turn, make).await,
        Err(problem) => app.problem(&problem),
    }
}

/// The same for whoever has a turn already.
pub(crate) async fn work_in_turn(
    app: Arc<App>,
    turn: OwnedSemaphorePermit,
    make: impl FnOnce(Frame<'_>, &Library) -> View + Send + 'static,
) -> Response {
    let worker = Arc::clone(&app);
    let made = in_turn(turn, move || make(worker.frame(), &worker.library)).await;
    app.answer(made)
}

/// Does something on a thread that may block. The turn ends with the work, not with a client that has gone.
pub(crate) async fn in_turn<T: Send + 'static>(
    turn: OwnedSemaphorePermit,
    act: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(move || {
        let done = act();
        drop(turn);
        done
    });
    done.await.unwrap_or_else(|_| Err(Problem::bug()))
}
