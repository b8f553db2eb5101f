//! A world that is served: the episodes that wait for a client, and the sessions of those that have one.
//!
//! Invariants: an episode has at most one session; a session has one episode at a time, and gets another one only from the operator; what has ended is
//! remembered, so that what comes after the end has an answer, up to a limit.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_rollout::run::{
    self, EpisodeFiles, EpisodeRecord, EpisodeSpec, RunEnd, RunFolder, RunRecord, ScheduleSettings, Stop, Trouble,
    Watch,
};
use assay_world::Profile;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::sync::{Notify, Semaphore, oneshot};

use super::live::{Live, Phase};
use super::revision::Revision;
use crate::agents::Move;
use crate::episode::{self, Start};
use crate::load::World;

/// Episodes that wait or run: each is a task that sleeps.
pub const EPISODES_MAX: usize = 10_000;
/// Sessions whose episode runs: each may take as much memory as an episode may, 64 MiB.
const SESSIONS_MAX: usize = 64;
/// Sessions that are remembered.
const SESSIONS_KEPT_MAX: usize = 1_024;
/// Calls of one session that wait or are made.
pub(super) const CALLS_AT_ONCE_MAX: usize = 64;

/// Which episode: the fork that it is of (empty for the run itself), the sample, the task. In this order they are handed out.
pub(super) type Place = (String, u32, String);

/// What is served, and where it is kept.
#[derive(Clone)]
pub struct RoomPlan {
    /// Its name in addresses.
    pub name: String,
    /// The world.
    pub world: Arc<World>,
    /// How often tools fail.
    pub faults: Profile,
    /// The agent's name in trajectories.
    pub agent: String,
    /// What the run is; those of forks say more.
    pub record: RunRecord,
    /// The folder for the runs of forks. It is made with the first.
    pub forks: PathBuf,
}

/// Why there is no session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum RoomError {
    /// Every episode has a session, or has ended.
    #[error("no episode is left; more of them come with a higher --samples, or with another --out")]
    NoneLeft,
    /// Too many episodes are under way.
    #[error("{SESSIONS_MAX} sessions are open; end one first")]
    Full,
}

/// An episode that waits for a client.
pub(super) struct Offer {
    pub(super) live: Arc<Live>,
    take: oneshot::Sender<()>,
}

impl Offer {
    pub(super) fn place(&self) -> Place {
        (self.live.fork.clone(), self.live.spec.sample, self.live.spec.task.clone())
    }

    /// Begins the episode; it waits for its first move when the call is over.
    pub(super) async fn begin(self) {
        // The episode has gone only when the whole run has.
        let _ = self.take.send(());
        self.live.reaches(Phase::Running).await;
    }
}

#[derive(Default)]
pub(super) struct Inner {
    offers: BTreeMap<Place, Offer>,
    /// Who waits for an episode that is about to begin anew.
    pub(super) wanted: BTreeMap<Place, oneshot::Sender<Offer>>,
    pub(super) sessions: Vec<Arc<Session>>,
}

impl Inner {
    pub(super) fn take(&mut self, is_wanted: impl Fn(&Place) -> bool) -> Option<Offer> {
        let place = self.offers.keys().find(|place| is_wanted(place))?.clone();
        self.offers.remove(&place)
    }

    pub(super) fn has(&self, is_wanted: impl Fn(&Place) -> bool) -> bool {
        self.offers.keys().any(is_wanted)
    }
}

/// A client and its episode.
pub struct Session {
    /// The session's name, which whoever opens it has drawn.
    pub(super) id: String,
    pub(super) revision: Revision,
    live: Mutex<Arc<Live>>,
    /// A place for each call that waits or is made.
    pub(super) calls: Semaphore,
    is_closed: AtomicBool,
    /// What the operator does with it comes one after the other.
    pub(super) control: tokio::sync::Mutex<()>,
}

impl Session {
    /// Its episode.
    pub(super) fn live(&self) -> Arc<Live> {
        Arc::clone(&self.live.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn bind(&self, live: Arc<Live>) {
        *self.live.lock().unwrap_or_else(PoisonError::into_inner) = live;
    }

    /// Whether its client has closed it.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_running(&self) -> bool {
        self.live().phase() < Phase::Over
    }

    pub(super) fn status(&self) -> Value {
        let mut status = self.live().status();
        status["session"] = self.id.as_str().into();
        status
    }
}

/// See the module documentation.
pub struct Room {
    pub(super) plan: RoomPlan,
    inner: Mutex<Inner>,
    changed: Notify,
    watch: Arc<dyn Watch + Send + Sync>,
    stop: Stop,
}

impl Room {
    /// A room without episodes: [`host`] fills it. `watch` is told of what finishes, and `stop` ends it.
    #[must_use]
    pub fn new(plan: RoomPlan, watch: Arc<dyn Watch + Send + Sync>, stop: Stop) -> Arc<Self> {
        Arc::new(Self { plan, inner: Mutex::default(), changed: Notify::new(), watch, stop })
    }

    /// Its name in addresses.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until at least this number of episodes are waiting for a client.
    pub async fn offers(&self, count: usize) {
        self.until(|inner| inner.offers.len() >= count).await;
    }

    pub(super) async fn until(&self, is_so: impl Fn(&Inner) -> bool) {
        loop {
            let changed = self.changed.notified();
            if is_so(&self.inner()) {
                return;
            }
            changed.await;
        }
    }

    /// Takes an episode that waits for a client.
    pub(super) fn offer(&self, offer: Offer) {
        let (place, mut inner) = (offer.place(), self.inner());
        let offer = match inner.wanted.remove(&place) {
            Some(wanted) => wanted.send(offer).err(),
            None => Some(offer),
        };
        inner.offers.extend(offer.map(|offer| (place, offer)));
        drop(inner);
        self.changed.notify_waiters();
    }

    /// The session of that name, if its client has not closed it.
    #[must_use]
    pub fn session(&self, id: &str) -> Option<Arc<Session>> {
        self.inner().sessions.iter().find(|session| session.id == id && !session.is_closed()).map(Arc::clone)
    }

    /// Begins a session with the next episode of the run, or of a fork.
    pub(super) async fn begin(&self, id: &str, revision: Revision, fork: &str) -> Result<Arc<Session>, RoomError> {
        let (session, offer) = {
            let mut inner = self.inner();
            if inner.sessions.iter().filter(|session| session.is_running()).count() >= SESSIONS_MAX {
                return Err(RoomError::Full);
            }
            let offer = inner.take(|(of, _, _)| of == fork).ok_or(RoomError::NoneLeft)?;
            let session = Arc::new(Session {
                id: id.to_owned(),
                revision,
                live: Mutex::new(Arc::clone(&offer.live)),
                calls: Semaphore::new(CALLS_AT_ONCE_MAX),
                is_closed: AtomicBool::new(false),
                control: tokio::sync::Mutex::default(),
            });
            if inner.sessions.len() >= SESSIONS_KEPT_MAX
                && let Some(oldest) = inner.sessions.iter().position(|session| !session.is_running())
            {
                inner.sessions.remove(oldest);
            }
            inner.sessions.push(Arc::clone(&session));
            (session, offer)
        };
        offer.begin().await;
        Ok(session)
    }

    /// Everything about the room, for the operator.
    #[must_use]
    pub fn status(&self) -> Value {
        let inner = self.inner();
        let sessions: Vec<Value> = inner.sessions.iter().map(|session| session.status()).collect();
        let waiting: Vec<String> = inner.offers.values().map(|offer| offer.live.spec.id()).collect();
        json!({ "world": self.plan.name, "waiting": waiting, "sessions": sessions })
    }

    /// Offers an episode, and runs it once it is taken.
    async fn episode(
        self: Arc<Self>,
        fork: String,
        spec: EpisodeSpec,
        files: EpisodeFiles,
        ahead: Arc<[Move]>,
    ) -> Result<(), Trouble> {
        let RoomPlan { world, faults, agent, .. } = &self.plan;
        let task = world.tasks.iter().find(|task| task.id == spec.task).map(Arc::clone).ok_or_else(unknown)?;
        let (live, mut remote) = Live::new(&fork, spec.clone(), Arc::clone(&task), &ahead);
        let (take, taken) = oneshot::channel();
        self.offer(Offer { live: Arc::clone(&live), take });
        if taken.await.is_err() {
            // Nobody is left who could take it; the end of the run ends this too.
            return std::future::pending().await;
        }
        let (world, agent) = (Arc::clone(world), agent.clone());
        let start = Start { world, task, spec, faults: *faults, agent, run: None };
        let judged = episode::run(&start, &mut remote, &files, Some(&*live)).await;
        live.over(&judged);
        // Moves that wait are told that nobody makes them.
        drop(remote);
        judged.map(|_| ())
    }
}

fn unknown() -> Trouble {
    Trouble::bug("the plan names a task that was not loaded")
}

/// Tells sessions that their result is in the journal, and whoever else looks on.
struct Journalled {
    room: Arc<Room>,
    fork: String,
}

impl Watch for Journalled {
    fn began(&self, spec: &EpisodeSpec) {
        self.room.watch.began(spec);
    }

    fn will_retry(&self, spec: &EpisodeSpec, trouble: &Trouble) {
        self.room.watch.will_retry(spec, trouble);
    }

    fn finished(&self, record: &EpisodeRecord) {
        let lives: Vec<Arc<Live>> = self.room.inner().sessions.iter().map(|session| session.live()).collect();
        for live in lives.iter().filter(|live| live.fork == self.fork && live.spec.id() == record.id) {
            live.kept();
        }
        self.room.watch.finished(record);
    }
}

/// Fills a room with the pending episodes of a run, and keeps what they come to, until all have ended or the room is stopped.
pub async fn host(room: Arc<Room>, folder: RunFolder) -> (RunEnd, RunFolder) {
    fill(room, folder, String::new(), Arc::from([])).await
}

/// The same for a fork, whose agent first makes the moves `ahead`.
pub(super) async fn fill(
    room: Arc<Room>,
    mut folder: RunFolder,
    fork: String,
    ahead: Arc<[Move]>,
) -> (RunEnd, RunFolder) {
    // All are offered at once, so that the operator can choose. One that begins anew does so as often as it is asked to.
    let concurrency = NonZeroUsize::new(EPISODES_MAX).unwrap_or(NonZeroUsize::MIN);
    let settings = ScheduleSettings { concurrency, attempts: u32::MAX };
    let journalled = Journalled { room: Arc::clone(&room), fork: fork.clone() };
    let stop = room.stop.clone();
    let episode = |spec: EpisodeSpec, _: run::Work, files: EpisodeFiles| {
        Arc::clone(&room).episode(fork.clone(), spec, files, Arc::clone(&ahead))
    };
    let end = run::run(&mut folder, settings, episode, &journalled, &stop).await;
    (end, folder)
}

impl std::fmt::Debug for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Room").field("name", &self.plan.name).finish_non_exhaustive()
    }
}
