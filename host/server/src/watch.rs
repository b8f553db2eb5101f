//! Who looks at a topic: one for all streams that follow it.
//!
//! Invariants: a topic is looked at as long as a stream follows it, and no more often for a hundred streams than for one; a trajectory that grows is not indexed
//! again at each look: what has come is counted, and the index asked from time to time whether the file is still the same.

use crate::app::App;
use crate::index::{Index, Reach};
use crate::topic::{TopicId, number_of_store};
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch::{Receiver, Sender, channel};

/// How often files and jobs are looked at: no more than ten events a second.
pub(crate) const LOOK: Duration = Duration::from_millis(100);
/// The store is asked less often.
const LOOK_AT_STORE: Duration = Duration::from_secs(1);
/// How long what has come to a file is only counted.
const COUNTED: Duration = Duration::from_secs(1);
/// Bytes that are counted at a look; more is for the index.
const COUNTED_BYTES_MAX: u64 = 256 << 10;

/// The number of a topic's state, once somebody has looked.
pub(crate) type Number = Option<u64>;

/// See the module documentation.
#[derive(Default)]
pub(crate) struct Watchers(Mutex<HashMap<String, Arc<Sender<Number>>>>);

impl Watchers {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<Sender<Number>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows a topic. What comes ends where there is nothing to look at any more.
    pub(crate) fn follow(app: &Arc<App>, topic: TopicId) -> Receiver<Number> {
        let name = topic.to_string();
        let mut all = app.watchers.all();
        if let Some(to) = all.get(&name) {
            return to.subscribe();
        }
        let (to, from) = channel(None);
        let to = Arc::new(to);
        all.insert(name, Arc::clone(&to));
        tokio::spawn(look_after(Arc::clone(app), topic, to));
        from
    }

    /// Forgets a topic that nobody follows.
    fn is_forgotten(&self, name: &str) -> bool {
        let mut all = self.all();
        let is_alone = all.get(name).is_none_or(|to| to.receiver_count() == 0);
        if is_alone {
            all.remove(name);
        }
        is_alone
    }
}

async fn look_after(app: Arc<App>, topic: TopicId, to: Arc<Sender<Number>>) {
    let (name, mut tail) = (topic.to_string(), None);
    loop {
        let Some(number) = number(&app, &topic, &mut tail).await else {
            app.watchers.all().remove(&name);
            return;
        };
        to.send_if_modified(|old| old.replace(number) != Some(number));
        tokio::time::sleep(if topic == TopicId::Store { LOOK_AT_STORE } else { LOOK }).await;
        if app.watchers.is_forgotten(&name) {
            return;
        }
    }
}

async fn number(app: &Arc<App>, topic: &TopicId, tail: &mut Option<Tail>) -> Number {
    if *topic == TopicId::Store {
        return Some(number_of_store(&app.library).await);
    }
    if let Some(number) = tail.as_mut().and_then(Tail::count) {
        return Some(number);
    }
    // It may have to index what has come, which is work as that of a page is.
    let turn = app.turn().await?;
    let (app, topic) = (Arc::clone(app), topic.clone());
    let looked = tokio::task::spawn_blocking(move || {
        let looked = match &topic {
            TopicId::Jobs | TopicId::Job(_) => {
                app.starts.as_ref().and_then(|work| topic.number_of_job(work)).map(|number| (number, None))
            }
            TopicId::Trajectory(id) => {
                let opened = app.library.trajectory(id).and_then(Result::ok);
                opened.and_then(|(file, path)| {
                    let index = Index::open(app.library.cache(), &file, &path).ok()?;
                    Some((index.rows(), Tail::new(file, &index)))
                })
            }
            _ => topic.number_of_files(&app.library).map(|number| (number, None)),
        };
        drop(turn);
        looked
    });
    let (number, fresh) = looked.await.ok().flatten()?;
    *tail = fresh;
    Some(number)
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
        (index.reach == Reach::Whole).then(|| Self {
            file,
            rows: index.rows(),
            bytes: index.bytes(),
            since: Instant::now(),
        })
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
