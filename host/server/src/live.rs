//! One stream of events for each page: the number of the state that it shows, whenever that changes.
//!
//! ```text
//! id: 1204          the number: for a trajectory, its records
//! event: change     or `gap`, if what the page shows is no longer part of it, and it has to be read again
//! data: 1204
//! ```
//!
//! Invariants: what an event announces is fetched by the page, so a stream stays small and nothing is lost when it breaks: a browser that comes back says
//! which number it has seen, and is told at once if there is another. Streams have a bound, and so has their life: the connection ends, and the browser comes
//! back.

use crate::app::App;
use crate::safety::field;
use crate::topic::TopicId;
use crate::watch::{LOOK, Number, Watchers};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::watch::Receiver;

/// How often a line is sent that says nothing, so that a dead connection is seen.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// One stream.
struct Watch {
    news: Receiver<Number>,
    /// Whether a smaller number means that something was lost.
    grows: bool,
    seen: u64,
    /// Whether a smaller number has been seen twice.
    is_sure: bool,
    _permit: OwnedSemaphorePermit,
}

/// `GET /live?topic=…&after=…`
pub(crate) async fn stream(State(app): State<Arc<App>>, headers: HeaderMap, uri: Uri) -> Response {
    let Some(topic) = field(&uri, "topic").and_then(|topic| topic.parse::<TopicId>().ok()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let Ok(permit) = Arc::clone(&app.streams).try_acquire_owned() else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    // A browser that comes back by itself knows better than the address with which it came first.
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let after = last.or_else(|| field(&uri, "after")?.parse().ok()).unwrap_or(0);
    let (grows, news) = (topic.grows(), Watchers::follow(&app, topic));
    let watch = Watch { news, grows, seen: after, is_sure: false, _permit: permit };
    let events = stream::unfold(watch, |mut watch| async move {
        let event = watch.next().await?;
        Some((Ok::<_, Infallible>(event), watch))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

impl Watch {
    /// Waits for a state that has not been told. The stream ends where there is nothing to watch any more.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let number = *self.news.borrow_and_update();
            if let Some(number) = number.filter(|number| *number != self.seen) {
                let is_gap = self.grows && number < self.seen;
                // A page that was just read may know more than whoever looked a moment ago.
                if is_gap && !std::mem::replace(&mut self.is_sure, true) {
                    tokio::time::sleep(2 * LOOK).await;
                    continue;
                }
                self.is_sure = false;
                self.seen = number;
                let event = Event::default().id(number.to_string()).data(number.to_string());
                return Some(event.event(if is_gap { "gap" } else { "change" }));
            }
            self.news.changed().await.ok()?;
        }
    }
}
