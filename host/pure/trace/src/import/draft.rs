//! A trajectory in the making, from what others say.
//!
//! Invariants: ids of messages differ, whatever the source says; an answer of a tool names a call; each record's time is what the source says, or that
//! of the record before it.

use super::message::{Said, read};
use super::time::time;
use crate::event::{Event, EventKind, ModelCall, OtherEvent, Usage};
use crate::identifier::{CallId, MessageId, TrajectoryId};
use crate::message::{Message, Role, Speaker};
use crate::metadata::Metadata;
use crate::score::{Finite, ScoreNode};
use crate::tool_call::ToolCall;
use crate::trajectory::{Record, Trajectory};
use crate::verdict::{Outcome, Verdict};
use assay_model::{Nanos, Seed, Time};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What stands for a name that the source does not say.
pub(super) const UNKNOWN: &str = "unknown";
/// What scored where the source does not say.
const SCORER: &str = "imported";
/// What goes before the kind of an event that would be taken for one of ours.
const FOREIGN: &str = "imported_";

/// Calls that no tool has answered, in their order.
#[derive(Debug, Default)]
struct Unanswered {
    /// Calls with their numbers; those that were answered leave once they are first.
    queue: VecDeque<(usize, CallId)>,
    /// Calls so far.
    calls: usize,
    /// How many calls there were when an id was answered last: its earlier ones are answered.
    answered: BTreeMap<CallId, usize>,
}

impl Unanswered {
    fn call(&mut self, id: CallId) {
        self.queue.push_back((self.calls, id));
        self.calls += 1;
    }

    fn answer(&mut self, id: CallId) {
        self.answered.insert(id, self.calls);
    }

    fn first(&mut self) -> Option<CallId> {
        while let Some((number, id)) = self.queue.front() {
            if self.answered.get(id).is_none_or(|calls| number >= calls) {
                return Some(id.clone());
            }
            self.queue.pop_front();
        }
        None
    }
}

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) metadata: Metadata,
    records: Vec<Record>,
    ids: BTreeSet<MessageId>,
    messages: usize,
    /// All places from that of the last message without an id of its own up to here are taken.
    place: usize,
    calls: usize,
    unanswered: Unanswered,
    /// When the last record was made.
    now: Time,
}

impl Draft {
    /// An empty trajectory with the name, or with what of it can be one. `form` is what it is read from.
    pub(super) fn new(name: &str, form: &str) -> Self {
        let id = TrajectoryId::new(name).or_else(|_| TrajectoryId::new(UNKNOWN));
        // The word is an identifier.
        let id = id.unwrap_or_else(|_| unreachable!("`{UNKNOWN}` is an identifier"));
        let mut metadata = Metadata::new(id, UNKNOWN, UNKNOWN, Seed(0), Time::default());
        metadata.agent = UNKNOWN.to_owned();
        metadata.tags = vec!["imported".to_owned()];
        metadata.meta.insert("imported_from".to_owned(), form.into());
        Self {
            metadata,
            records: Vec::new(),
            ids: BTreeSet::new(),
            messages: 0,
            place: 0,
            calls: 0,
            unanswered: Unanswered::default(),
            now: Time::default(),
        }
    }

    /// Gives the trajectory another name, where that can be one.
    pub(super) fn rename(&mut self, name: &str) {
        if let Ok(id) = TrajectoryId::new(name) {
            self.metadata.id = id;
        }
    }

    /// Notes when the next records were made.
    pub(super) fn at(&mut self, value: Option<&Value>) {
        if let Some(found) = value.and_then(time) {
            self.now = found;
            if self.records.is_empty() && self.metadata.started_at == Time::default() {
                self.metadata.started_at = found;
            }
        }
    }

    /// Appends a message, and the answers of tools that stand in it. The error says why it is none.
    pub(super) fn message(&mut self, fields: Map<String, Value>) -> Result<(), String> {
        self.said(read(fields)?)
    }

    /// Appends what a message says.
    pub(super) fn said(&mut self, mut said: Said) -> Result<(), String> {
        let results = std::mem::take(&mut said.results);
        let had_results = !results.is_empty();
        for (answers, parts) in results {
            let blank = Said {
                role: Role::Tool,
                id: None,
                parts,
                calls: Vec::new(),
                answers,
                results: Vec::new(),
                meta: [].into(),
            };
            self.one(blank)?;
        }
        let says_more = !said.parts.is_empty() || !said.calls.is_empty() || !said.meta.is_empty();
        if says_more || !had_results { self.one(said) } else { Ok(()) }
    }

    fn one(&mut self, said: Said) -> Result<(), String> {
        let Said { role, id, parts, calls, answers, mut meta, .. } = said;
        self.messages += 1;
        let mut answered = None;
        let speaker = match role {
            Role::System => Speaker::System,
            Role::User => Speaker::User,
            Role::Assistant => {
                let mut used = BTreeSet::new();
                let mut tool_calls = Vec::with_capacity(calls.len());
                for call in calls {
                    let id = self.call_id(call.id.as_deref(), &used);
                    used.insert(id.clone());
                    self.unanswered.call(id.clone());
                    tool_calls.push(ToolCall::new(id, call.tool, call.arguments_raw));
                }
                Speaker::Assistant { tool_calls }
            }
            Role::Tool => {
                let named = answers.as_ref().and_then(|id| CallId::new(id.as_str()).ok());
                answered = named.clone();
                match named.or_else(|| self.unanswered.first()) {
                    Some(call_id) => {
                        self.unanswered.answer(call_id.clone());
                        Speaker::Tool { call_id }
                    }
                    // It answers nothing that anybody asked, so it is somebody's word.
                    None => {
                        meta.insert("role".to_owned(), role.name().into());
                        Speaker::User
                    }
                }
            }
        };
        if let (Some(answers), None) = (answers, answered) {
            meta.insert("tool_call_id".to_owned(), answers.into());
        }
        let (id, is_own) = self.message_id(id.as_deref());
        if let Some(foreign) = is_own {
            meta.insert("id".to_owned(), foreign.into());
        }
        let message = Message::new(id, speaker, parts, meta).map_err(|error| error.to_string())?;
        self.records.push(message.into());
        Ok(())
    }

    /// The source's id of a message, or that of its place; then also the source's, if it said one.
    fn message_id(&mut self, wanted: Option<&str>) -> (MessageId, Option<String>) {
        let found = wanted.and_then(|text| MessageId::new(text).ok()).filter(|id| !self.ids.contains(id));
        let (id, foreign) = match found {
            Some(id) => (id, None),
            None => {
                self.place = self.place.max(self.messages);
                while self.ids.contains(&MessageId::by_position(self.place)) {
                    self.place += 1;
                }
                (MessageId::by_position(self.place), wanted.map(str::to_owned))
            }
        };
        self.ids.insert(id.clone());
        (id, foreign)
    }

    fn call_id(&mut self, wanted: Option<&str>, used: &BTreeSet<CallId>) -> CallId {
        let found = wanted.and_then(|text| CallId::new(text).ok()).filter(|id| !used.contains(id));
        found.unwrap_or_else(|| {
            self.calls += 1;
            let made = CallId::new(format!("call-{}", self.calls));
            made.unwrap_or_else(|_| unreachable!("a word and a number are an identifier"))
        })
    }

    /// Appends an event of ours.
    pub(super) fn event(&mut self, kind: EventKind) {
        self.records.push(Event { at: self.now, kind }.into());
    }

    /// Appends a record that the source has in our own form.
    pub(super) fn record(&mut self, record: impl Into<Record>) {
        self.records.push(record.into());
    }

    /// Keeps a value as an event of its own kind.
    pub(super) fn note(&mut self, kind: &str, body: &Value) {
        let foreign = || OtherEvent::new(format!("{FOREIGN}{kind}"), body);
        if let Ok(event) = OtherEvent::new(kind, body).or_else(|_| foreign()) {
            self.event(EventKind::Other(event));
        }
    }

    /// Keeps what is left of the fields of a source, as a note on the whole.
    pub(super) fn keep(&mut self, fields: Map<String, Value>) {
        self.metadata.meta.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    }

    /// Notes what a model call used, as far as the source says it.
    pub(super) fn model_call(&mut self, usage: Option<Usage>, cost_dollars: Option<f64>, latency: Nanos) {
        let model = self.metadata.model.clone();
        let cost_microdollars = cost_dollars.and_then(microdollars);
        let call = ModelCall { model, usage, cost_microdollars, latency, retries: 0, stop_reason: None, error: None };
        self.event(EventKind::ModelCall(call));
    }

    /// Scores the trajectory with a reward of the source: 1 and more are a success, as in our own rules.
    pub(super) fn reward(&mut self, reward: f64, reason: &str) {
        let outcome = if reward >= 1.0 { Outcome::Success } else { Outcome::Failure };
        let Ok(number) = Finite::new(reward) else { return };
        let score = ScoreNode::scored("reward", number);
        let reason = if reason.is_empty() { "the reward that the source states" } else { reason };
        if let Ok(verdict) = Verdict::scored(self.now, SCORER, outcome, reason, score) {
            self.record(verdict);
        }
    }

    /// Notes why the source has no score.
    pub(super) fn unscored(&mut self, why: &str) {
        if let Ok(verdict) = Verdict::unscored(self.now, SCORER, why) {
            self.record(verdict);
        }
    }

    /// The trajectory.
    pub(super) fn finish(self) -> Trajectory {
        let mut trajectory = Trajectory::new(self.metadata);
        for record in self.records {
            // Ids differ, as they were told apart when they were given.
            let _ = trajectory.push(record);
        }
        trajectory
    }
}

/// Dollars as micro-dollars, where that is an amount.
fn microdollars(dollars: f64) -> Option<u64> {
    let amount = (dollars * 1e6).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    (0.0..1e18).contains(&amount).then_some(amount as u64)
}
