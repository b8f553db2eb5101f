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

use crate::api;
use crate::app::App;
use crate::code::Code;
use crate::index::{Index, Reach};
use crate::safety::field;
use crate::topic::{TopicId, number_of_store};
use crate::views::Problem;
use crate::watch::{Look, Number};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use std::convert::Infallible;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::watch::Receiver;

/// How often a line is sent that says nothing, so that a dead connection is seen.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How often files and jobs are looked at: no more than ten events a second.
const LOOK: Duration = Duration::from_millis(100);
/// The store is asked less often.
const LOOK_AT_STORE: Duration = Duration::from_secs(1);
/// How long what has come to a file is only counted.
const COUNTED: Duration = Duration::from_secs(1);
/// Bytes that are counted at a look; more is for the index.
const COUNTED_BYTES_MAX: u64 = 256 << 10;

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
    let topic = match topic_of(&uri) {
        Ok(topic) => topic,
        Err(problem) => return api::trouble(problem),
    };
    let Ok(permit) = Arc::clone(&app.streams).try_acquire_owned() else {
        return api::trouble(Problem::new(
            Code::Busy,
            "Too many streams are open",
            "Close some of them, or try again.",
        ));
    };
    // A browser that comes back by itself knows better than the address with which it came first.
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let after = last.or_else(|| field(&uri, "after")?.parse().ok()).unwrap_or(0);
    let grows = topic.grows();
    let pause = if topic == TopicId::Store { LOOK_AT_STORE } else { LOOK };
    let news = app.watchers.follow(topic.to_string(), pause, Looker { app: Arc::clone(&app), topic, tail: None });
    let watch = Watch { news, grows, seen: after, is_sure: false, _permit: permit };
    let events = stream::unfold(watch, |mut watch| async move {
        let event = watch.next().await?;
        Some((Ok::<_, Infallible>(event), watch))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

/// What is to be followed.
fn topic_of(uri: &Uri) -> Result<TopicId, Problem> {
    const TOPICS: &str =
        "use `store`, `jobs`, `job-ID`, `t-ID` or `folder-ID`; GET /api/openapi.json describes them under /live.";
    let Some(topic) = field(uri, "topic").filter(|topic| !topic.is_empty()) else {
        let words = format!("topic: it has to be there; {TOPICS}");
        return Err(Problem::new(Code::Missing, "Something is missing", words).about("topic"));
    };
    topic.parse().map_err(|_| {
        let words = format!("topic: there is none like that; {TOPICS}");
        Problem::new(Code::NotFound, "Not found", words).about("topic")
    })
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

/// Looks at a topic, for all streams that follow it.
struct Looker {
    app: Arc<App>,
    topic: TopicId,
    /// Of a trajectory that grows: it is not indexed again at each look.
    tail: Option<Tail>,
}

impl Look for Looker {
    async fn look(&mut self) -> Number {
        if self.topic == TopicId::Store {
            return Some(number_of_store(&self.app.library).await);
        }
        if let Some(number) = self.tail.as_mut().and_then(Tail::count) {
            return Some(number);
        }
        // It may have to index what has come, which is work as that of a page is.
        let turn = self.app.turn().await?;
        let (app, topic) = (Arc::clone(&self.app), self.topic.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let looked = number(&app, &topic);
            drop(turn);
            looked
        });
        let (number, tail) = looked.await.ok().flatten()?;
        self.tail = tail;
        Some(number)
    }
}

/// The number of a topic that blocks on files, and the end of the file if it is a trajectory's.
fn number(app: &App, topic: &TopicId) -> Option<(u64, Option<Tail>)> {
    match topic {
        TopicId::Jobs | TopicId::Job(_) => Some((topic.number_of_job(app.starts.as_ref()?)?, None)),
        TopicId::Trajectory(id) => {
            let (file, path) = app.library.trajectory(id)?.ok()?;
            let index = Index::open(app.library.cache(), &file, &path).ok()?;
            Some((index.rows(), Tail::new(file, &index)))
        }
        TopicId::Store | TopicId::Folder(_) => Some((topic.number_of_files(&app.library)?, None)),
    }
}

/// The end of a trajectory, beyond what has been indexed.
struct Tail {
    file: File,
    rows: u64,
    bytes: u64,
    since: Instant,
}

impl Tail {
    /// `None` where the index has not come to the end.
    fn new(file: File, index: &Index) -> Option<Self> {
        let (rows, bytes) = (index.rows(), index.bytes());
        (index.reach == Reach::Whole).then(|| Self { file, rows, bytes, since: Instant::now() })
    }

    /// How many records there are now; `None` where the index has to say.
    fn count(&mut self) -> Number {
        let length = self.file.metadata().ok()?.len();
        let more = length.checked_sub(self.bytes).filter(|more| *more <= COUNTED_BYTES_MAX)?;
        if self.since.elapsed() > COUNTED {
            return None;
        }
        let mut come = vec![0; usize::try_from(more).ok()?];
        self.file.read_exact_at(&mut come, self.bytes).ok()?;
        let whole = come.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        self.rows += come[..whole].iter().filter(|byte| **byte == b'\n').count() as u64;
        self.bytes += whole as u64;
        Some(self.rows)
    }
}
