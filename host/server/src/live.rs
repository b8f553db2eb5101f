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
use crate::library::Library;
use crate::safety::field;
use crate::topic::{TopicId, number_of_store};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// How often files are looked at: no more than four events a second.
const LOOK: Duration = Duration::from_millis(250);
/// The store is asked less often.
const LOOK_AT_STORE: Duration = Duration::from_secs(1);
/// How often a line is sent that says nothing, so that a dead connection is seen.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// One stream.
struct Watch {
    app: Arc<App>,
    topic: TopicId,
    seen: u64,
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
    let watch = Watch { app, topic, seen: after, _permit: permit };
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
            let number = number(&self.app, &self.topic).await?;
            if number != self.seen {
                let is_gap = self.topic.grows() && number < self.seen;
                self.seen = number;
                let event = Event::default().id(number.to_string()).data(number.to_string());
                return Some(event.event(if is_gap { "gap" } else { "change" }));
            }
            tokio::time::sleep(if self.topic == TopicId::Store { LOOK_AT_STORE } else { LOOK }).await;
        }
    }
}

async fn number(app: &Arc<App>, topic: &TopicId) -> Option<u64> {
    if *topic == TopicId::Store {
        return Some(number_of_store(&app.library).await);
    }
    // It may have to index what has come, which is work as that of a page is.
    let turn = app.turn().await?;
    let (app, topic) = (Arc::clone(app), topic.clone());
    let look = move |library: &Library| topic.number_of_files(library);
    let looked = tokio::task::spawn_blocking(move || {
        let number = look(&app.library);
        drop(turn);
        number
    });
    looked.await.ok().flatten()
}
