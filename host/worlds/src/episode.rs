//! One episode with an agent, as a trajectory.
//!
//! Invariants: every turn is in the record before the next begins; times are the world's; a `state` event follows each turn, and what changed stands beside
//! it, so the record alone explains the score.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_model::Time;
use assay_rollout::ports::{Sink, SinkError, Sinks};
use assay_rollout::run::{EpisodeSpec, Trouble, TroubleKind};
use assay_trace::{
    Event, EventKind, Flag, Message, MessageId, Metadata, OtherEvent, Outcome, Record, ToolCall, ToolRun, TrajectoryId,
    Verdict, WorldEvent,
};
use assay_world::changes::Change;
use assay_world::limits::CALLS_PER_TURN_MAX;
use assay_world::{Action, Called, Caller, Episode, Heard, Judged, Profile, State, Task, TaskError, Turn};
use serde_json::{Value, json};

use crate::agents::{Agent, AgentError, Move, Seen};
use crate::load::World;

/// The name of what scores, with its version.
pub const SCORER: &str = concat!("assay-worlds ", env!("CARGO_PKG_VERSION"));
/// Changes of one turn that the record names.
const CHANGES_MAX: usize = 100;
/// Bytes of these changes: an agent writes values as long as it likes, and a record that cannot be stored would undo the episode.
const CHANGES_BYTES_MAX: usize = 4 << 20;
/// What is answered to a call that came too late.
const NOT_MADE: &str =
    r#"{"error":{"type":"too_many_calls","message":"the episode has ended; this call was not made"}}"#;

/// The event of an answer of an agent that was no move.
pub(crate) const MALFORMED_MOVE: &str = "malformed_move";

/// Where an episode begins.
#[derive(Clone)]
pub struct Start {
    /// The world.
    pub world: Arc<World>,
    /// Its task.
    pub task: Arc<Task>,
    /// Which episode.
    pub spec: EpisodeSpec,
    /// How often tools fail.
    pub faults: Profile,
    /// The agent's name.
    pub agent: String,
    /// The run's name.
    pub run: Option<String>,
}

/// Who looks on.
pub trait Watcher: Send + Sync {
    /// Records were written, after these changes of the state.
    fn recorded(&self, records: &[Record], changes: &[Change]);

    /// The world was left so, after the opening and after each turn.
    fn became(&self, _state: &State) {}
}

/// Runs an episode to its end; its trajectory has a score then.
///
/// # Errors
/// The agent's infrastructure, the disk or the task failed.
pub async fn run(
    start: &Start,
    agent: &mut dyn Agent,
    sinks: &dyn Sinks,
    watcher: Option<&dyn Watcher>,
) -> Result<Judged, Trouble> {
    let episode = Episode::begin(&start.world.definition, &start.task, start.spec.seed, start.faults);
    let episode = episode.map_err(|error| unfit(&error))?;
    let tools = tools(&episode);
    let metadata = metadata(start, &episode, &tools)?;
    let sink = sinks.begin(metadata).await.map_err(|error| unwritten(&error))?;
    let has_user = start.task.has_listener();
    let seen = Seen { messages: Vec::new(), fresh: 0, tools, has_user };
    let mut talk = Talk { episode, sink, seen, messages: 0, watcher };
    talk.open(&start.world.definition.policy).await?;
    while talk.episode.end().is_none() {
        talk.seen.fresh = talk.seen.messages.len() - talk.seen.fresh;
        let act = agent.next(&talk.seen).await;
        talk.seen.fresh = talk.seen.messages.len();
        match act {
            Ok(act) => talk.turn(act).await?,
            Err(AgentError::Own(why)) => talk.broken_off(&why).await?,
            Err(error) => return Err(failed(error)),
        }
    }
    talk.close().await
}

/// The agent's tools as they are now, in the form of chat APIs.
fn tools(episode: &Episode) -> Arc<[Value]> {
    episode.world().tools_of(Caller::Agent).map(|tool| Value::Object(tool.spec.chat())).collect()
}

struct Talk<'w> {
    episode: Episode,
    sink: Box<dyn Sink>,
    /// `fresh` counts the messages that the agent has seen, between its moves.
    seen: Seen,
    messages: usize,
    watcher: Option<&'w dyn Watcher>,
}

impl Talk<'_> {
    fn now(&self) -> Time {
        self.episode.world().state().now()
    }

    fn id(&mut self) -> MessageId {
        self.messages += 1;
        MessageId::by_position(self.messages - 1)
    }

    fn event(&self, kind: EventKind) -> Record {
        Record::from(Event { at: self.now(), kind })
    }

    /// Remembers a message and gives its record.
    fn message(&mut self, message: Message) -> Record {
        self.seen.messages.push(Arc::new(message.clone()));
        Record::from(message)
    }

    async fn write(&mut self, records: Vec<Record>, changes: &[Change]) -> Result<(), Trouble> {
        if let Some(watcher) = self.watcher {
            watcher.recorded(&records, changes);
        }
        self.sink.append(records).await.map_err(|error| unwritten(&error))
    }

    async fn open(&mut self, policy: &str) -> Result<(), Trouble> {
        let (system, user) = (self.id(), self.id());
        let opening = self.episode.opening();
        let system = self.message(Message::system(system, policy));
        let user = self.message(Message::user(user, opening));
        let state = self.event(EventKind::State(self.episode.world().state().hash()));
        self.write(vec![system, user, state], &[]).await?;
        self.tell_state();
        Ok(())
    }

    fn tell_state(&self) {
        if let Some(watcher) = self.watcher {
            watcher.became(self.episode.world().state());
        }
    }

    /// The agent did something else than a move: the episode ends here.
    async fn broken_off(&mut self, why: &str) -> Result<(), Trouble> {
        self.episode.fail();
        let body = json!({ "why": why });
        let record = OtherEvent::new("agent_failed", &body).ok().map(|other| self.event(EventKind::Other(other)));
        self.write(record.into_iter().collect(), &[]).await
    }

    /// One turn of the agent.
    async fn turn(&mut self, act: Move) -> Result<(), Trouble> {
        let Move { parts, mut calls, stop, model, malformed } = act;
        let refused = calls.len().saturating_sub(CALLS_PER_TURN_MAX);
        calls.truncate(CALLS_PER_TURN_MAX);
        let id = self.id();
        let message = Message::assistant(id.clone(), parts.clone(), calls.clone());
        // Ids of calls that are not unique are the agent's mistake; the calls count all the same.
        let (message, calls) = match message {
            Ok(message) => (message, calls),
            Err(_) => {
                let calls = renamed(&id, &calls)?;
                match Message::assistant(id, parts, calls.clone()) {
                    Ok(message) => (message, calls),
                    Err(error) => {
                        return self.broken_off(&format!("the agent's message cannot be kept: {error}")).await;
                    }
                }
            }
        };
        let say = Some(message.text()).filter(|text| !text.trim().is_empty());
        let mut records = vec![self.message(message)];
        records.extend(model.map(|model| self.event(EventKind::ModelCall(model))));
        records.extend(malformed.iter().filter_map(|why| {
            let other = OtherEvent::new(MALFORMED_MOVE, &json!({ "why": why })).ok();
            other.map(|other| self.event(EventKind::Other(other)))
        }));
        let action = Action {
            say,
            calls: calls.iter().map(|call| (call.tool().to_owned(), call.arguments_raw().to_owned())).collect(),
            stop,
        };
        let before = self.episode.world().state().fork();
        let turn = self.episode.act(&action);
        for (index, call) in calls.iter().enumerate() {
            let called = self.episode.calls(&turn).get(index).cloned();
            records.extend(self.answered(call, called));
        }
        records.extend(self.refused(refused));
        records.extend(self.events(&turn));
        let changes = self.episode.world().changes_since(&before, self.episode.calls(&turn));
        let changes = changes.map_err(|why| unfit(&TaskError::Unreadable(why)))?;
        records.push(self.event(EventKind::State(self.episode.world().state().hash())));
        if !changes.is_empty() {
            let body = json!({ "changes": named(&changes), "count": changes.len() });
            records.extend(OtherEvent::new("changes", &body).ok().map(|other| self.event(EventKind::Other(other))));
        }
        for heard in turn.heard {
            let id = self.id();
            let text = match heard {
                Heard::User(text) => text,
                Heard::Notice(text) => format!("[notification] {text}"),
            };
            let message = self.message(Message::user(id, text));
            records.push(message);
        }
        self.seen.tools = tools(&self.episode);
        self.write(records, &changes).await?;
        self.tell_state();
        match self.episode.world().broken() {
            Some(why) => Err(passing(format!("a tool's machine failed: {why}"))),
            None => Ok(()),
        }
    }

    /// The records of the calls beyond those of a turn: one for all, and one notice.
    fn refused(&mut self, count: usize) -> Vec<Record> {
        if count == 0 {
            return Vec::new();
        }
        let other = OtherEvent::new("calls_refused", &json!({ "count": count })).ok();
        let record = other.map(|other| self.event(EventKind::Other(other)));
        let id = self.id();
        let text = format!("[notification] {count} calls were not made: a turn has at most {CALLS_PER_TURN_MAX}");
        record.into_iter().chain([self.message(Message::user(id, text))]).collect()
    }

    /// The records of a call: what ran, what went wrong on purpose, what was answered.
    fn answered(&mut self, call: &ToolCall, called: Option<Arc<Called>>) -> Vec<Record> {
        let id = self.id();
        let Some(called) = called else {
            return vec![self.message(Message::tool(id, call.id().clone(), NOT_MADE))];
        };
        let event = |kind: EventKind| Record::from(Event { at: called.at, kind });
        let mut records = vec![event(EventKind::ToolRun(ToolRun {
            call_id: Some(call.id().clone()),
            tool: called.tool.clone(),
            latency: called.latency,
            error: called.result.as_ref().err().map(|error| format!("{}: {}", error.kind, error.message)),
        }))];
        records.extend(called.fault.map(|fault| {
            let detail = json!({ "was_done": called.was_done });
            event(EventKind::World(WorldEvent {
                source: called.tool.clone(),
                name: fault.name().to_owned(),
                fault: true,
                detail,
            }))
        }));
        records.push(self.message(Message::tool(id, call.id().clone(), called.text.clone())));
        records
    }

    /// What the world did of its own accord.
    fn events(&self, turn: &Turn) -> Vec<Record> {
        let happened = self.episode.world().happened()[turn.events.clone()].iter();
        let record = |happened: &assay_world::Happened| {
            let detail = json!({ "notify": happened.notify, "failed": happened.failed });
            let (source, name) = (happened.source.clone(), "event".to_owned());
            let kind = EventKind::World(WorldEvent { source, name, fault: false, detail });
            Record::from(Event { at: happened.at, kind })
        };
        happened.map(record).collect()
    }

    /// The score, with what explains it.
    async fn close(mut self) -> Result<Judged, Trouble> {
        let judged = self.episode.judge().map_err(|error| unfit(&error))?;
        let reason = self.episode.end().map_or("finished", assay_world::End::name);
        let body = json!({ "why": judged.why, "reactions": self.episode.reactions() });
        let mut records: Vec<Record> = OtherEvent::new("explanation", &body)
            .ok()
            .map(|other| self.event(EventKind::Other(other)))
            .into_iter()
            .collect();
        records.extend(flags(&judged).map(|flag| self.event(EventKind::Flag(flag))));
        let verdict = Verdict::scored(self.now(), SCORER, judged.outcome, reason, judged.score.clone());
        let unkept = |error| Trouble::new(TroubleKind::Lasting, format!("the task's score cannot be kept: {error}"));
        let verdict = verdict.map_err(unkept)?;
        records.push(Record::from(verdict));
        self.write(records, &[]).await?;
        Ok(judged)
    }
}

/// The flag of an episode in which an attacker's text was followed.
pub const INJECTION_FOLLOWED: &str = "injection_followed";
/// The flag of one that did its task, beside a safety violation.
pub const DONE_UNSAFELY: &str = "done_unsafely";

/// What a person should look at: security, and utility where the score says nothing about it.
fn flags(judged: &Judged) -> impl Iterator<Item = Flag> {
    let followed = (!judged.followed.is_empty())
        .then(|| Flag { name: INJECTION_FOLLOWED.to_owned(), detail: judged.followed.join(", ") });
    let is_unsafe = judged.is_done && judged.outcome == Outcome::SafetyViolation;
    let done = is_unsafe.then(|| Flag {
        name: DONE_UNSAFELY.to_owned(),
        detail: "the task was done, beside the safety violation".to_owned(),
    });
    followed.into_iter().chain(done)
}

/// The calls under ids of ours.
fn renamed(message: &MessageId, calls: &[ToolCall]) -> Result<Vec<ToolCall>, Trouble> {
    let rename = |(index, call): (usize, &ToolCall)| {
        let id = assay_trace::CallId::new(format!("{}-{index}", message.as_str()));
        id.map(|id| ToolCall::new(id, call.tool(), call.arguments_raw())).map_err(|error| passing(error.to_string()))
    };
    calls.iter().enumerate().map(rename).collect()
}

fn metadata(start: &Start, episode: &Episode, tools: &[Value]) -> Result<Metadata, Trouble> {
    let Start { world, task, spec, faults, agent, run } = start;
    let id = TrajectoryId::new(spec.id()).map_err(|error| passing(error.to_string()))?;
    let began = episode.world().state().now();
    let mut metadata = Metadata::new(id, &task.id, agent, spec.seed, began);
    metadata.run.clone_from(run);
    metadata.attempt = spec.attempt;
    metadata.versions = BTreeMap::from([("assay".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]);
    let digest = world.digests.get(&task.id).cloned().unwrap_or_default();
    metadata.hashes = BTreeMap::from([("task".to_owned(), digest)]);
    metadata.limits = BTreeMap::from([("turns".to_owned(), u64::from(task.turns))]);
    metadata.tools = tools.iter().filter_map(|tool| tool.as_object().cloned()).collect();
    metadata.tags = vec!["world".to_owned(), world.definition.name.clone()];
    metadata.meta.insert("faults".to_owned(), faults.name().into());
    Ok(metadata)
}

fn passing(why: String) -> Trouble {
    Trouble::new(TroubleKind::Passing, why)
}

fn unfit(error: &TaskError) -> Trouble {
    if let TaskError::Broken(_) = error {
        return passing(error.to_string());
    }
    let hint = Some("`assay worlds check` says which tasks can be used".to_owned());
    Trouble { kind: TroubleKind::Lasting, why: error.to_string(), hint }
}

fn unwritten(error: &SinkError) -> Trouble {
    passing(error.to_string())
}

fn failed(error: AgentError) -> Trouble {
    match error {
        AgentError::Passing(why) | AgentError::Own(why) => passing(why),
        AgentError::Budget(why) => Trouble::new(TroubleKind::Budget, why),
        AgentError::Fatal { why, hint } => Trouble { kind: TroubleKind::Fatal, why, hint },
    }
}

/// As many changes as a record names.
fn named(changes: &[Change]) -> &[Change] {
    let mut left = CHANGES_BYTES_MAX;
    let fit = changes.iter().take(CHANGES_MAX).take_while(|change| {
        let bytes = serde_json::to_vec(change).map_or(usize::MAX, |text| text.len());
        left.checked_sub(bytes).inspect(|rest| left = *rest).is_some()
    });
    &changes[..fit.count()]
}
