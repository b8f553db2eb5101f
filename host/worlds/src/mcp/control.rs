//! What the operator may do: end an episode, let it begin anew, fork it. No message of a client comes here.
//!
//! Invariants: what is done to one session is done in order; an episode that begins anew keeps its seed, and its session; a fork makes the moves of the
//! episode again, in the same world with the same seed, and never changes that episode.

use std::sync::Arc;
use std::time::Duration;

use assay_rollout::run::{EpisodeSpec, RunFolder};
use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::sync::oneshot;

use super::live::Phase;
use super::room::{Offer, Room, Session, fill};
use crate::agents::Move;

/// How long the end of an episode may take to reach the disk.
const END_WAIT: Duration = Duration::from_secs(60);
/// Forks of one room, over all starts: each has a folder.
const FORKS_MAX: usize = 1_000;

/// What the operator asks for. Without a session, the only one whose episode runs is meant.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// The episode ends here and is scored, as if the agent had said that it is done.
    End {
        /// Which session.
        #[serde(default)]
        session: String,
    },
    /// The episode begins anew; or one of another task begins in its place. After the end of an episode, the next sample of the task begins.
    Reset {
        /// Which session.
        #[serde(default)]
        session: String,
        /// Another task.
        #[serde(default)]
        task: Option<String>,
    },
    /// Another episode begins where this one is.
    Fork {
        /// Which session.
        #[serde(default)]
        session: String,
    },
}

/// Why an order is not carried out.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ControlError {
    /// The session is unknown.
    #[error("there is no session {0:?}; the status lists them")]
    NoSession(String),
    /// It is not clear which session is meant.
    #[error("{0} episodes are running; name the session: the status lists them")]
    Which(usize),
    /// There is no episode to go on with.
    #[error("no episode of the task {0:?} is left; more of them come with a higher --samples")]
    NoneLeft(String),
    /// There are too many forks.
    #[error("there are {FORKS_MAX} forks; begin another run with --out")]
    Forks,
    /// It took too long, or the disk failed.
    #[error("{0}")]
    Failed(String),
}

fn failed(why: &str) -> ControlError {
    ControlError::Failed(why.to_owned())
}

impl Room {
    /// Does what the operator asks for, and says how things are then. A fork's path ends with `secret`: an agent that guessed it could try there what
    /// it then does, or not, in its own episode.
    ///
    /// # Errors
    /// It cannot be done.
    pub async fn obey(self: &Arc<Self>, order: Order, secret: &str) -> Result<Value, ControlError> {
        match order {
            Order::End { session } => {
                let session = self.meant(&session)?;
                let _turn = session.control.lock().await;
                end(&session).await?;
                Ok(session.status())
            }
            Order::Reset { session, task } => {
                let session = self.meant(&session)?;
                let _turn = session.control.lock().await;
                self.reset(&session, task.as_deref()).await?;
                Ok(session.status())
            }
            Order::Fork { session } => self.fork(&*self.meant(&session)?, secret).await,
        }
    }

    /// The client says that it is done with a session: its episode ends, and is scored.
    ///
    /// # Errors
    /// The end could not be kept.
    pub async fn leave(&self, session: &Session) -> Result<(), ControlError> {
        let _turn = session.control.lock().await;
        session.close();
        end(session).await
    }

    fn meant(&self, id: &str) -> Result<Arc<Session>, ControlError> {
        let inner = self.inner();
        if !id.is_empty() {
            let found = inner.sessions.iter().find(|session| session.id == id);
            return found.map(Arc::clone).ok_or_else(|| ControlError::NoSession(id.to_owned()));
        }
        let running: Vec<_> = inner.sessions.iter().filter(|session| session.is_running()).collect();
        match (running.as_slice(), inner.sessions.as_slice()) {
            ([one], _) => Ok(Arc::clone(one)),
            ([], [one]) => Ok(Arc::clone(one)),
            (many, _) => Err(ControlError::Which(many.len())),
        }
    }

    async fn reset(&self, session: &Session, task: Option<&str>) -> Result<(), ControlError> {
        let live = session.live();
        let wanted = task.unwrap_or(&live.spec.task).to_owned();
        let is_other = wanted != live.spec.task;
        let is_of = |(fork, _, of): &(String, u32, String)| fork.is_empty() && *of == wanted;
        let none_left = || ControlError::NoneLeft(wanted.clone());
        let offer = if live.phase() < Phase::Over {
            if is_other && !self.inner().has(is_of) {
                return Err(none_left());
            }
            let again = self.again(session).await?;
            if is_other {
                let other = self.inner().take(is_of).ok_or_else(none_left);
                self.offer(again);
                other?
            } else {
                again
            }
        } else {
            self.inner().take(is_of).ok_or_else(none_left)?
        };
        session.bind(Arc::clone(&offer.live));
        offer.begin().await;
        Ok(())
    }

    /// Gives up the session's episode, and waits until it can begin anew.
    async fn again(&self, session: &Session) -> Result<Offer, ControlError> {
        let live = session.live();
        let place = (live.fork.clone(), live.spec.sample, live.spec.task.clone());
        let (sender, offered) = oneshot::channel();
        self.inner().wanted.insert(place.clone(), sender);
        let offer = match live.reset().await {
            true => tokio::time::timeout(END_WAIT, offered).await.ok().and_then(Result::ok),
            false => None,
        };
        self.inner().wanted.remove(&place);
        offer.ok_or_else(|| failed("the episode has just ended; ask again for the next sample"))
    }

    async fn fork(self: &Arc<Self>, session: &Session, secret: &str) -> Result<Value, ControlError> {
        let live = session.live();
        let ahead: Arc<[Move]> = live.moves().into_iter().filter(|act| !act.stop).collect();
        let mut record = self.plan.record.clone();
        let of = json!({ "episode": live.spec.id(), "fork": live.fork, "moves": ahead.len() });
        record.settings.insert("forked_from".to_owned(), of);
        record.tasks.retain(|task, _| *task == live.spec.task);
        let spec = EpisodeSpec { attempt: 1, ..live.spec.clone() };
        let forks = self.plan.forks.clone();
        let opened = tokio::task::spawn_blocking(move || {
            let free = (1..=FORKS_MAX).map(|number| format!("fork-{number}")).find(|name| !forks.join(name).exists());
            let name = free.ok_or(ControlError::Forks)?;
            let folder = RunFolder::open(&forks.join(&name), &record, &[spec], false);
            folder.map(|folder| (name, folder)).map_err(|error| ControlError::Failed(error.to_string()))
        });
        let (name, folder) = opened.await.map_err(|error| ControlError::Failed(error.to_string()))??;
        let (moves, key) = (ahead.len(), format!("{name}-{secret}"));
        tokio::spawn(fill(Arc::clone(self), folder, key.clone(), ahead));
        // A client may have taken it already.
        self.until(|inner| {
            inner.has(|(fork, _, _)| *fork == key) || inner.sessions.iter().any(|session| session.live().fork == key)
        })
        .await;
        Ok(json!({ "fork": name, "path": format!("/{}/{key}/mcp", self.plan.name), "moves": moves }))
    }
}

/// Ends an episode that runs, and waits until its score is kept.
async fn end(session: &Session) -> Result<(), ControlError> {
    let live = session.live();
    // One that has ended already stays as it is.
    let _ = live.act(Move { stop: true, ..Move::default() }).await;
    let kept = tokio::time::timeout(END_WAIT, live.reaches(Phase::Kept)).await;
    kept.map_err(|_| failed("the end of the episode did not reach the disk in time"))
}
