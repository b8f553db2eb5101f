//! What all requests share, and how their answers are made.

use crate::Examine;
use crate::library::Library;
use crate::pages::{Frame, trouble};
use crate::place::Links;
use crate::safety::Rules;
use crate::spending::Ledger;
use crate::starting::Work;
use crate::views::{Problem, View};
use crate::watch::Watchers;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Pages that are made at once: each may hold a file of 64 MiB.
const WORK_MAX: usize = 4;
/// Checks of strategies at once.
const CHECKS_MAX: usize = 2;
/// Streams at once, over all pages.
const STREAMS_MAX: usize = 128;

/// See the module documentation.
pub(crate) struct App {
    pub library: Library,
    pub rules: Rules,
    pub is_read_only: bool,
    pub examine: Option<Examine>,
    /// What starts work, where that may be.
    pub starts: Option<Work>,
    /// A turn for each check of a strategy: it compiles.
    pub checks: Arc<Semaphore>,
    /// A turn for each page that is being made.
    pub work: Arc<Semaphore>,
    /// Who looks at what streams follow.
    pub watchers: Watchers,
    /// A place for each stream.
    pub streams: Arc<Semaphore>,
    /// What models have cost.
    pub ledger: Ledger,
}

impl App {
    pub(crate) fn new(
        library: Library,
        rules: Rules,
        is_read_only: bool,
        (examine, starts): (Option<Examine>, Option<Work>),
    ) -> Self {
        let (work, streams) = (Arc::new(Semaphore::new(WORK_MAX)), Arc::new(Semaphore::new(STREAMS_MAX)));
        let checks = Arc::new(Semaphore::new(CHECKS_MAX));
        let (watchers, ledger) = (Watchers::default(), Ledger::default());
        Self { library, rules, is_read_only, examine, starts, checks, work, watchers, streams, ledger }
    }

    pub(crate) fn frame(&self) -> Frame<'_> {
        let form = (!self.is_read_only).then(|| self.rules.form_token());
        Frame { links: Links::Served, form, can_start: self.starts.is_some(), left_out: None }
    }

    /// Waits for a turn.
    pub(crate) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.work).acquire_owned().await.ok()
    }

    pub(crate) fn problem(&self, problem: &Problem) -> Response {
        html(problem.code.status(), trouble(self.frame(), problem.title, &problem.words))
    }

    pub(crate) fn answer(&self, view: View) -> Response {
        match view {
            Ok(page) => html(200, page),
            Err(problem) => self.problem(&problem),
        }
    }
}

pub(crate) fn html(status: u16, page: String) -> Response {
    let mut response = text("text/html; charset=utf-8", page);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
}

pub(crate) fn text(kind: &'static str, content: String) -> Response {
    ([(header::CONTENT_TYPE, kind)], content).into_response()
}
