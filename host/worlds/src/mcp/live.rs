//! One episode whose agent is at the other end of a connection: an [`Agent`] that makes the moves that come in, and what the client hears of them.
//!
//! Invariants: moves are made one after the other, in the order in which they came; a move is answered after it is on disk; a move that was not made because
//! the episode ended, or began anew, is told so.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use assay_rollout::run::{EpisodeSpec, Trouble};
use assay_trace::{CallId, Event, EventKind, Record, Role, ToolCall};
use assay_world::changes::Change;
use assay_world::{Judged, Task};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};

use crate::agents::{Agent, AgentError, Move, Seen};
use crate::episode::Watcher;

/// How long a client may be silent before its episode ends and is scored: a person may be at the other end.
const SILENCE_MAX: Duration = Duration::from_secs(3_600);
/// The error of a call that came with the end of the episode.
const NOT_MADE: &str = "too_many_calls: the call was not made";

/// Something that the client hears.
#[derive(Clone, Debug)]
pub(super) enum Said {
    /// The answer to its call; the error has its type before a colon.
    Answer { text: String, error: Option<String> },
    /// A message of the user, or a notice.
    Message(String),
}

/// What came of a move.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) said: Vec<Said>,
    /// Whether the episode ended with it.
    pub(super) is_last: bool,
}

/// How far an episode is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Phase {
    /// It waits for a client.
    Offered,
    /// It waits for a move, or makes one.
    Running,
    /// It has ended.
    Over,
    /// Its result is in the run's journal.
    Kept,
}

/// What an episode came to.
enum Worth {
    Judged(Judged),
    Unscored(String),
}

/// What is asked of an episode.
enum Ask {
    Move(Box<Move>, oneshot::Sender<Told>),
    Reset,
}

#[derive(Default)]
struct Shared {
    /// What was said since the client heard something.
    said: Vec<Said>,
    /// Everything that the client may read again.
    conversation: Vec<String>,
    /// The error of the call whose answer comes next, once the call has run.
    run: Option<Option<String>>,
    waiting: Option<oneshot::Sender<Told>>,
    moves: Vec<Move>,
    calls: u64,
    /// The world's tools that the agent has now; not known before the episode begins.
    tools: Option<BTreeSet<String>>,
    worth: Option<Worth>,
}

/// See the module documentation.
pub(super) struct Live {
    /// The fork that it is of; empty for the run itself.
    pub(super) fork: String,
    pub(super) spec: EpisodeSpec,
    pub(super) task: Arc<Task>,
    asks: mpsc::Sender<Ask>,
    shared: Mutex<Shared>,
    phase: watch::Sender<Phase>,
}

impl Live {
    /// An episode, and the agent with which it is run, which makes the moves in `ahead` by itself before it waits for others.
    pub(super) fn new(fork: &str, spec: EpisodeSpec, task: Arc<Task>, ahead: &[Move]) -> (Arc<Self>, Remote) {
        let (asks, asked) = mpsc::channel(1);
        let (fork, phase) = (fork.to_owned(), watch::Sender::new(Phase::Offered));
        let live = Arc::new(Self { fork, spec, task, asks, shared: Mutex::default(), phase });
        let remote = Remote { live: Arc::clone(&live), asked, ahead: ahead.iter().cloned().collect() };
        (live, remote)
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    /// It is so far now; it never goes back.
    fn moves_on(&self, to: Phase) {
        self.phase.send_if_modified(|phase| {
            let is_new = *phase < to;
            *phase = to.max(*phase);
            is_new
        });
    }

    /// Waits until it is so far, or further.
    pub(super) async fn reaches(&self, phase: Phase) {
        // Fails only when the sender is gone, which `self` holds.
        let _ = self.phase.subscribe().wait_for(|now| *now >= phase).await;
    }

    /// Makes a move; none where the episode is over or begins anew.
    pub(super) async fn act(&self, act: Move) -> Option<Told> {
        let (teller, told) = oneshot::channel();
        self.asks.send(Ask::Move(Box::new(act), teller)).await.ok()?;
        told.await.ok()
    }

    /// A call, under an id of ours.
    pub(super) fn call(&self, tool: &str, arguments: &str) -> Option<ToolCall> {
        let mut shared = self.shared();
        shared.calls += 1;
        let id = CallId::new(format!("call-{}", shared.calls)).ok()?;
        Some(ToolCall::new(id, tool, arguments))
    }

    /// Gives the episode up, so that it begins anew; false where it has ended.
    pub(super) async fn reset(&self) -> bool {
        self.asks.send(Ask::Reset).await.is_ok()
    }

    /// What the agent has been told, from the beginning on.
    pub(super) fn conversation(&self) -> Vec<String> {
        self.shared().conversation.clone()
    }

    /// Whether the agent has a tool of the world now.
    pub(super) fn offers(&self, tool: &str) -> bool {
        let shared = self.shared();
        shared.tools.as_ref().map_or_else(|| self.task.offers(tool), |tools| tools.contains(tool))
    }

    /// The agent has these tools from now on, in the form of chat APIs. Of those that are new it is told: nothing reaches a client that it did not ask for.
    fn has_tools(&self, tools: &[Value]) {
        let names = tools.iter().filter_map(|tool| tool.get("function")?.get("name")?.as_str());
        let names: BTreeSet<String> = names.map(str::to_owned).collect();
        let mut shared = self.shared();
        let before = shared.tools.replace(names.clone()).unwrap_or_else(|| names.clone());
        let new: Vec<&str> = names.difference(&before).map(String::as_str).collect();
        if !new.is_empty() {
            let text = format!("[notification] you have more tools now: {}; list your tools again", new.join(", "));
            shared.conversation.push(text.clone());
            shared.said.push(Said::Message(text));
        }
    }

    /// What was done so far.
    pub(super) fn moves(&self) -> Vec<Move> {
        self.shared().moves.clone()
    }

    /// The episode is over: whoever waits hears the last that was said.
    pub(super) fn over(&self, result: &Result<Judged, Trouble>) {
        let mut shared = self.shared();
        let said = std::mem::take(&mut shared.said);
        shared.worth = Some(match result {
            Ok(judged) => Worth::Judged(judged.clone()),
            Err(trouble) => Worth::Unscored(trouble.to_string()),
        });
        // A move that came to nothing is not answered as one that was made.
        if let (Some(waiting), Ok(_)) = (shared.waiting.take(), result) {
            let _ = waiting.send(Told { said, is_last: true });
        }
        drop(shared);
        self.moves_on(Phase::Over);
    }

    /// Its result is in the journal.
    pub(super) fn kept(&self) {
        self.moves_on(Phase::Kept);
    }

    /// Whether its end was that of an episode; otherwise it was broken off, and may begin anew.
    pub(super) fn has_score(&self) -> bool {
        matches!(self.shared().worth, Some(Worth::Judged(_)))
    }

    /// Everything, for the operator.
    pub(super) fn status(&self) -> Value {
        let shared = self.shared();
        let EpisodeSpec { task, sample, attempt, seed } = &self.spec;
        let mut status = json!({
            "episode": self.spec.id(), "task": task, "sample": sample, "attempt": attempt, "seed": seed, "moves": shared.moves.len(),
            "state": if self.phase() < Phase::Over { "running" } else { "ended" },
        });
        if !self.fork.is_empty() {
            status["fork"] = self.fork.as_str().into();
        }
        match &shared.worth {
            Some(Worth::Judged(judged)) => {
                status["outcome"] = judged.outcome.name().into();
                status["reward"] = json!(judged.score.value().number());
                status["why"] = json!(judged.why);
                status["score"] = json!(judged.score);
            }
            Some(Worth::Unscored(why)) => status["unscored"] = why.as_str().into(),
            None => {}
        }
        status
    }
}

impl Watcher for Live {
    fn recorded(&self, records: &[Record], _: &[Change]) {
        let mut shared = self.shared();
        for record in records {
            match record {
                Record::Event(Event { kind: EventKind::ToolRun(run), .. }) => shared.run = Some(run.error.clone()),
                Record::Message(message) => match message.role() {
                    Role::Tool => {
                        let error = shared.run.take().unwrap_or_else(|| Some(NOT_MADE.to_owned()));
                        shared.said.push(Said::Answer { text: message.text(), error });
                    }
                    Role::User => {
                        shared.conversation.push(message.text());
                        shared.said.push(Said::Message(message.text()));
                    }
                    Role::System => shared.conversation.push(message.text()),
                    Role::Assistant => {}
                },
                _ => {}
            }
        }
    }
}

/// The agent of a [`Live`] episode.
pub(super) struct Remote {
    live: Arc<Live>,
    asked: mpsc::Receiver<Ask>,
    ahead: VecDeque<Move>,
}

/// An episode that is torn down without a result lets go of whoever waits for it.
impl Drop for Remote {
    fn drop(&mut self) {
        if self.live.phase() < Phase::Over {
            let mut shared = self.live.shared();
            shared.waiting = None;
            shared.worth.get_or_insert_with(|| Worth::Unscored("the episode was torn down".to_owned()));
            drop(shared);
            self.live.moves_on(Phase::Over);
        }
    }
}

impl Remote {
    async fn step(&mut self) -> Result<Move, AgentError> {
        if let Some(act) = self.ahead.pop_front() {
            let mut shared = self.live.shared();
            shared.said.clear();
            shared.calls += act.calls.len() as u64;
            shared.moves.push(act.clone());
            return Ok(act);
        }
        {
            let mut shared = self.live.shared();
            let said = std::mem::take(&mut shared.said);
            if let Some(waiting) = shared.waiting.take() {
                // A client that has gone does not hear it.
                let _ = waiting.send(Told { said, is_last: false });
            }
        }
        self.live.moves_on(Phase::Running);
        match tokio::time::timeout(SILENCE_MAX, self.asked.recv()).await {
            Ok(Some(Ask::Move(act, teller))) => {
                let mut shared = self.live.shared();
                shared.waiting = Some(teller);
                shared.moves.push((*act).clone());
                Ok(*act)
            }
            Ok(Some(Ask::Reset)) => Err(AgentError::Passing("the operator let it begin anew".to_owned())),
            Ok(None) => Err(AgentError::Own("the client has gone".to_owned())),
            Err(_) => Err(AgentError::Own(format!("the client was silent for {} s", SILENCE_MAX.as_secs()))),
        }
    }
}

impl Agent for Remote {
    fn next<'a>(&'a mut self, seen: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>> {
        self.live.has_tools(&seen.tools);
        Box::pin(self.step())
    }
}
