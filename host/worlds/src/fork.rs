//! Going on from a step of a recorded episode: with another agent, another model, or the same one again.
//!
//! Invariants: a fork begins only if the steps before it, made once more, leave the very records that were read, state by state; the new trajectory holds
//! these steps too and names the one that it comes from, so it can be read, verified and forked alone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use assay_rollout::ports::{Sink, SinkError, Sinks};
use assay_rollout::run::{EpisodeSpec, TroubleKind};
use assay_trace::{
    CallId, Digest, Event, EventKind, Message, Metadata, Record, Role, ToolCall, Trajectory, TrajectoryId,
};
use assay_world::changes::Change;
use assay_world::{Profile, State, Task};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use thiserror::Error;

use crate::agents::{Agent, AgentError, Move, Seen};
use crate::episode::{MALFORMED_MOVE, Start, Watcher, run};
use crate::load::World;

/// The name of a trajectory's note about where it comes from.
pub const FORKED_FROM: &str = "forked_from";
/// Calls beyond those of a turn that a record may say were refused; an agent's message cannot hold more.
const REFUSED_MAX: u64 = 1 << 20;

/// Why an episode cannot be forked.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ForkError {
    /// The trajectory is no episode of this world.
    #[error("{0}")]
    Foreign(String),
    /// The episode has no such step to continue from.
    #[error("the episode has {steps} steps, so it can go on from step 0 to {}, and not from {wanted}", steps.saturating_sub(1))]
    Step {
        /// What was asked for.
        wanted: usize,
        /// The steps that there are.
        steps: usize,
    },
    /// The episode has no such step.
    #[error("the episode has {steps} steps, and no step {wanted}")]
    Absent {
        /// What was asked for.
        wanted: usize,
        /// The steps that there are.
        steps: usize,
    },
    /// The same steps do not leave the same records.
    #[error("step {step} does not come out as it was recorded: {what}")]
    Differs {
        /// The step.
        step: usize,
        /// What differs.
        what: String,
    },
}

/// A step of a recorded episode, made again and found equal.
#[derive(Clone, Debug)]
pub struct Fork {
    /// The episode's task.
    pub task: Arc<Task>,
    /// Which episode it was.
    pub spec: EpisodeSpec,
    /// How often tools fail in it.
    pub faults: Profile,
    /// The trajectory that was forked.
    pub parent: TrajectoryId,
    /// After which step.
    pub step: usize,
    /// The digest of the world's state there.
    pub root: Digest,
    moves: Vec<Move>,
}

impl Fork {
    /// Makes the first `step` steps of an episode again.
    ///
    /// # Errors
    /// It is of another world, has no such step, or comes out otherwise.
    pub async fn at(world: &Arc<World>, trajectory: &Trajectory, step: usize) -> Result<Self, ForkError> {
        task(world, trajectory.metadata())?;
        let steps = trajectory.steps();
        if step >= steps {
            return Err(ForkError::Step { wanted: step, steps });
        }
        let (fork, records) = Self::planned(world, trajectory, step)?;
        let (made, has_ended) = fork.rehearse(world, None).await?;
        if has_ended {
            let what = "the episode ends before that step now".to_owned();
            return Err(ForkError::Differs { step, what });
        }
        match made.iter().zip(&records).position(|(made, read)| made != *read) {
            None if made.len() == records.len() => Ok(fork),
            place => {
                let place = place.unwrap_or_else(|| made.len().min(records.len()));
                let is_move =
                    |record: &&&Record| matches!(record, Record::Message(message) if message.role() == Role::Assistant);
                let step = records.iter().take(place + 1).filter(is_move).count();
                let what = |record: Option<&Record>| record.map_or("nothing", kind);
                let (read, made) = (what(records.get(place).copied()), what(made.get(place)));
                Err(ForkError::Differs { step, what: format!("{read} was recorded, and {made} comes out differently") })
            }
        }
    }

    /// The world's state after a step, made again, and the one before that step. The last step has one, too.
    ///
    /// # Errors
    /// The episode is of another world, has no such step, or leaves another state than was recorded.
    pub async fn states(world: &Arc<World>, trajectory: &Trajectory, step: usize) -> Result<States, ForkError> {
        let steps = trajectory.steps();
        if step > steps {
            return Err(ForkError::Absent { wanted: step, steps });
        }
        let (fork, _) = Self::planned(world, trajectory, step)?;
        let watcher = Kept::default();
        fork.rehearse(world, Some(&watcher)).await?;
        let kept = watcher.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        match kept {
            (before, Some(now)) if now.hash().root() == fork.root => Ok(States { before, now, root: fork.root }),
            _ => Err(ForkError::Differs { step, what: "another state comes out than was recorded".to_owned() }),
        }
    }

    /// What a fork begins with, and the records of the steps before it, as they were read.
    fn planned<'t>(
        world: &Arc<World>,
        trajectory: &'t Trajectory,
        step: usize,
    ) -> Result<(Self, Vec<&'t Record>), ForkError> {
        let metadata = trajectory.metadata();
        let task = task(world, metadata)?;
        let faults = metadata.meta.get("faults").and_then(Value::as_str);
        let faults = Profile::ALL.iter().find(|profile| Some(profile.name()) == faults);
        let faults =
            *faults.ok_or_else(|| ForkError::Foreign("the trajectory does not say how tools fail".to_owned()))?;
        let records: Vec<&Record> =
            trajectory.placed().take_while(|placed| placed.step <= step).map(|placed| placed.record).collect();
        let states = records.iter().rev().find_map(|record| match record {
            Record::Event(Event { kind: EventKind::State(state), .. }) => Some(state.root()),
            _ => None,
        });
        let no_state = || ForkError::Foreign("the trajectory has no state at that step".to_owned());
        let (root, moves) = (states.ok_or_else(no_state)?, moves(&records)?);
        let spec = EpisodeSpec { task: task.id.clone(), sample: 1, attempt: metadata.attempt, seed: metadata.seed };
        Ok((Self { task, spec, faults, parent: metadata.id.clone(), step, root, moves }, records))
    }

    /// The records of the steps as they come out now, and whether the episode has ended with them.
    async fn rehearse(
        &self,
        world: &Arc<World>,
        watcher: Option<&dyn Watcher>,
    ) -> Result<(Vec<Record>, bool), ForkError> {
        let memory = Memory::default();
        let start = self.start(world, self.spec.clone(), "rehearsal".to_owned());
        let mut agent = self.agent(Box::new(Halt));
        // The agent that would go on says so, which is no score.
        let has_ended = match run(&start, &mut *agent, &memory, watcher).await {
            Err(trouble) if trouble.kind == TroubleKind::Fatal && trouble.why == HALTED => false,
            Err(trouble) => return Err(ForkError::Foreign(trouble.why)),
            Ok(_) => true,
        };
        let records = memory.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((records.clone(), has_ended))
    }

    /// Where an episode that goes on from here begins: at the beginning of the first, with its seed and faults.
    #[must_use]
    pub fn start(&self, world: &Arc<World>, spec: EpisodeSpec, agent: String) -> Start {
        let spec = EpisodeSpec { seed: self.spec.seed, ..spec };
        Start { world: Arc::clone(world), task: Arc::clone(&self.task), spec, faults: self.faults, agent, run: None }
    }

    /// An agent that makes the recorded steps; then `next` goes on, to which all of the conversation is new.
    #[must_use]
    pub fn agent(&self, next: Box<dyn Agent>) -> Box<dyn Agent> {
        Box::new(Forked { moves: self.moves.clone().into(), is_new: true, next })
    }

    /// Places for trajectories that name the one that they come from.
    #[must_use]
    pub fn sinks<'s>(&'s self, inner: &'s dyn Sinks) -> impl Sinks + 's {
        Named { fork: self, inner }
    }
}

/// The world at a step.
#[derive(Clone)]
pub struct States {
    /// Before the step; none before the first.
    pub before: Option<State>,
    /// After it.
    pub now: State,
    /// The digest of the latter.
    pub root: Digest,
}

/// Keeps the last two states.
#[derive(Default)]
struct Kept(Mutex<(Option<State>, Option<State>)>);

impl Watcher for Kept {
    fn recorded(&self, _: &[Record], _: &[Change]) {}

    fn became(&self, state: &State) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0 = kept.1.replace(state.fork());
    }
}

/// The task of a trajectory, if it is still the same in this world.
fn task(world: &World, metadata: &Metadata) -> Result<Arc<Task>, ForkError> {
    let name = &metadata.scenario;
    let found = world.tasks.iter().find(|task| task.id == *name);
    let found = found.ok_or_else(|| {
        ForkError::Foreign(format!(
            "the world {} has no task {name:?}: is it an episode of another world?",
            world.definition.name
        ))
    })?;
    if metadata.hashes.get("task") != world.digests.get(name) {
        return Err(ForkError::Foreign(format!(
            "the world or its task {name} has changed since the episode was recorded"
        )));
    }
    Ok(Arc::clone(found))
}

/// What the agent did in each step.
fn moves(records: &[&Record]) -> Result<Vec<Move>, ForkError> {
    let mut moves: Vec<Move> = Vec::new();
    for record in records {
        match record {
            Record::Message(message) if message.role() == Role::Assistant => moves.push(said(message)),
            Record::Event(Event { kind: EventKind::ModelCall(call), .. }) => {
                if let Some(last) = moves.last_mut() {
                    last.model = Some(call.clone());
                }
            }
            Record::Event(Event { kind: EventKind::Other(other), .. }) if other.kind() == MALFORMED_MOVE => {
                let body: Value = serde_json::from_str(other.body()).unwrap_or_default();
                let why = body.get("why").and_then(Value::as_str).unwrap_or_default().to_owned();
                if let Some(last) = moves.last_mut() {
                    last.malformed.push(why);
                }
            }
            Record::Event(Event { kind: EventKind::Other(other), .. }) if other.kind() == "calls_refused" => {
                let body: Value = serde_json::from_str(other.body()).unwrap_or_default();
                let count = body.get("count").and_then(Value::as_u64).filter(|count| *count <= REFUSED_MAX);
                let count =
                    count.ok_or_else(|| ForkError::Foreign("a count of refused calls is damaged".to_owned()))?;
                let ids = (0..count).filter_map(|number| CallId::new(format!("refused-{number}")).ok());
                if let Some(last) = moves.last_mut() {
                    last.calls.extend(ids.map(|id| ToolCall::new(id, "", "{}")));
                }
            }
            _ => {}
        }
    }
    Ok(moves)
}

fn said(message: &Message) -> Move {
    Move { parts: message.parts().to_vec(), calls: message.tool_calls().to_vec(), ..Move::default() }
}

/// A record in words.
fn kind(record: &Record) -> &'static str {
    match record {
        Record::Message(message) => match message.role() {
            Role::Assistant => "a message of the agent",
            Role::Tool => "an answer",
            _ => "a message to the agent",
        },
        Record::Event(event) => match event.kind {
            EventKind::State(_) => "a state",
            _ => "an event",
        },
        Record::Verdict(_) => "a verdict",
    }
}

/// See [`Fork::agent`].
struct Forked {
    moves: VecDeque<Move>,
    /// Whether the agent that goes on has not been asked yet.
    is_new: bool,
    next: Box<dyn Agent>,
}

impl Agent for Forked {
    fn next<'a>(&'a mut self, seen: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>> {
        if let Some(recorded) = self.moves.pop_front() {
            return Box::pin(async move { Ok(recorded) });
        }
        if !std::mem::take(&mut self.is_new) {
            return self.next.next(seen);
        }
        let mut all = seen.clone();
        all.fresh = all.messages.len();
        Box::pin(async move { self.next.next(&all).await })
    }
}

/// What the agent says that ends a rehearsal.
const HALTED: &str = "the rehearsal ends here";

/// Ends a rehearsal.
struct Halt;

impl Agent for Halt {
    fn next<'a>(&'a mut self, _: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>> {
        Box::pin(async { Err(AgentError::Fatal { why: HALTED.to_owned(), hint: None }) })
    }
}

/// See [`Fork::sinks`].
struct Named<'s> {
    fork: &'s Fork,
    inner: &'s dyn Sinks,
}

impl Sinks for Named<'_> {
    fn begin(&self, mut metadata: Metadata) -> BoxFuture<'_, Result<Box<dyn Sink>, SinkError>> {
        let Fork { parent, step, root, .. } = self.fork;
        let from = json!({ "trajectory": parent, "step": step, "state": root.to_string() });
        metadata.meta.insert(FORKED_FROM.to_owned(), from);
        self.inner.begin(metadata)
    }
}

/// Records in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<Record>>>);

impl Sinks for Memory {
    fn begin(&self, _: Metadata) -> BoxFuture<'_, Result<Box<dyn Sink>, SinkError>> {
        Box::pin(async { Ok(Box::new(self.clone()) as Box<dyn Sink>) })
    }
}

impl Sink for Memory {
    fn append(&mut self, records: Vec<Record>) -> BoxFuture<'_, Result<(), SinkError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(records);
        Box::pin(async { Ok(()) })
    }
}
