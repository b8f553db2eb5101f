//! What happened between the messages.
//!
//! Invariants: an event knows its time and its kind; a kind that this version does not know is kept byte for byte. Money is in integer
//! micro-dollars, and what a call cost or used may be *unknown*, which is not zero.

use crate::digest::StateHash;
use crate::identifier::{CallId, TrajectoryId};
use crate::tool_call::{ARGUMENTS_DEPTH_MAX, depth};
use assay_model::{Nanos, Time};
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// Something that happened at a time.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// When.
    pub at: Time,
    /// What.
    pub kind: EventKind,
}

/// Where an export puts a body as text.
const BODY_TEXT: &str = "body_text";

impl Event {
    /// The event as exports hold it. A body that nests deeper than [`ARGUMENTS_DEPTH_MAX`] levels, and one that is JSON but that no value can hold (a
    /// number beyond all floats, half of a surrogate pair), is text there, under `body_text`.
    pub(crate) fn to_value(&self) -> Value {
        // The event is one level more.
        let whole = serde_json::to_value(self).ok().filter(|value| depth(value) <= ARGUMENTS_DEPTH_MAX + 1);
        whole.unwrap_or_else(|| {
            let body = self.kind.to_body().ok();
            json!({"at_ns": self.at, "kind": self.kind.name(), BODY_TEXT: body.as_deref().map(RawValue::get)})
        })
    }

    /// The event that exports hold like this.
    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        // By way of text: a body is kept byte for byte, which only text has.
        if let Ok(event) = serde_json::from_str(&value.to_string()) {
            return Some(event);
        }
        let fields = value.as_object().filter(|fields| fields.len() == 3)?;
        // A body stands in one line of a file, as it is.
        let text = fields.get(BODY_TEXT)?.as_str().filter(|text| !text.contains('\n'))?;
        let body = RawValue::from_string(text.to_owned()).ok()?;
        let at = serde_json::from_value(fields.get("at_ns")?.clone()).ok()?;
        let kind = EventKind::from_body(fields.get("kind")?.as_str()?.to_owned(), &body).ok()?;
        Some(Self { at, kind })
    }
}

/// What happened.
#[derive(Clone, PartialEq, Debug)]
pub enum EventKind {
    /// A model was asked.
    ModelCall(ModelCall),
    /// A tool ran.
    ToolRun(ToolRun),
    /// Code ran in a persistent session.
    CodeCell(CodeCell),
    /// The state was hashed.
    State(StateHash),
    /// A limit ended something.
    LimitReached(LimitReached),
    /// Something a person should look at, for example a sign of cheating.
    Flag(Flag),
    /// The simulated world did something of its own accord.
    World(WorldEvent),
    /// A sub-agent was sent off; it has a trajectory of its own.
    SubAgent(SubAgent),
    /// A kind that this version does not know.
    Other(OtherEvent),
}

/// What a model call used. All counts are tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Input that was neither read from nor written to the provider's cache.
    pub input: u64,
    /// Output, reasoning included.
    pub output: u64,
    /// Input read from the cache.
    #[serde(default)]
    pub cache_read: u64,
    /// Input written to the cache.
    #[serde(default)]
    pub cache_write: u64,
    /// The part of `output` that is reasoning.
    #[serde(default)]
    pub reasoning: u64,
}

impl Usage {
    /// All input: plain, read from and written to the cache.
    #[must_use]
    pub const fn input_total(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// All input and output. Reasoning is a part of the output and not counted twice.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.input_total().saturating_add(self.output)
    }

    /// The sum of both, saturating.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }
}

/// A model was asked. The event follows the assistant's message that it brought, if it brought one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCall {
    /// The model, as the provider names it.
    pub model: String,
    /// What it used; `None` where the provider did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What it cost in micro-dollars; `None` where the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microdollars: Option<u64>,
    /// From the request to the last byte of the answer, retries included.
    #[serde(rename = "latency_ns")]
    pub latency: Nanos,
    /// Requests beyond the first.
    #[serde(default)]
    pub retries: u32,
    /// Why the model stopped, in the provider's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A tool ran. Its answer is a message of its own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolRun {
    /// The call that made it run; none if the host ran it by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The tool.
    pub tool: String,
    /// How long it ran.
    #[serde(rename = "latency_ns")]
    pub latency: Nanos,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Code ran in a persistent session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeCell {
    /// The call that carried the code; none if it stood in the message's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The language.
    pub language: String,
    /// The code.
    pub source: String,
    /// What it printed, as far as it was kept.
    #[serde(default)]
    pub stdout: String,
    /// What it printed as errors, as far as it was kept.
    #[serde(default)]
    pub stderr: String,
    /// Bytes of output that were not kept.
    #[serde(default)]
    pub dropped_bytes: u64,
    /// The exception that ended it, or the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it burnt, in the engine's fuel.
    #[serde(default)]
    pub fuel: u64,
    /// How long it ran.
    #[serde(rename = "latency_ns")]
    pub latency: Nanos,
}

/// What can run out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Turns of the model.
    Steps,
    /// Messages.
    Messages,
    /// Tokens, input and output.
    Tokens,
    /// The model's context, in tokens.
    ContextTokens,
    /// Money, in micro-dollars.
    CostMicrodollars,
    /// Time on the wall, in nanoseconds.
    WallNs,
    /// Time without waiting for others, in nanoseconds.
    WorkingNs,
    /// The engine's fuel.
    Fuel,
    /// Memory in bytes.
    MemoryBytes,
    /// Output in bytes.
    OutputBytes,
}

/// A limit ended something.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitReached {
    /// What ran out.
    pub limit: Limit,
    /// How much was allowed, in the limit's unit.
    pub allowed: u64,
    /// How much was used or asked for.
    pub used: u64,
}

/// Something a person should look at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// The flag's name, for example `test_files_touched`.
    pub name: String,
    /// What was seen.
    pub detail: String,
}

/// The simulated world did something of its own accord.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldEvent {
    /// What did it: a service, a user, the clock.
    pub source: String,
    /// What it did.
    pub name: String,
    /// Whether the scenario made it go wrong on purpose.
    #[serde(default)]
    pub fault: bool,
    /// More about it.
    #[serde(default)]
    pub detail: Value,
}

/// A sub-agent was sent off.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubAgent {
    /// Its trajectory.
    pub trajectory_id: TrajectoryId,
    /// The tool call that sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
}

/// An event of a kind that this version does not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherEvent {
    kind: String,
    body: String,
}

impl OtherEvent {
    /// An event of one's own kind.
    ///
    /// # Errors
    /// The kind is one of ours, which has its own form.
    pub fn new(kind: impl Into<String>, body: &Value) -> Result<Self, KindTaken> {
        let kind = kind.into();
        if EventKind::NAMES.contains(&kind.as_str()) {
            Err(KindTaken { kind })
        } else {
            Ok(Self { kind, body: body.to_string() })
        }
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The body: JSON, byte for byte as it was read.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.body
    }
}

/// The kind of a free-form event is one of ours.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{kind}` is a reserved kind")]
pub struct KindTaken {
    kind: String,
}

impl EventKind {
    /// The names of the kinds that have a form of their own.
    pub const NAMES: &[&str] =
        &["model_call", "tool_run", "code_cell", "state", "limit_reached", "flag", "world", "sub_agent"];

    /// The kind's name in files.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::ModelCall(_) => "model_call",
            Self::ToolRun(_) => "tool_run",
            Self::CodeCell(_) => "code_cell",
            Self::State(_) => "state",
            Self::LimitReached(_) => "limit_reached",
            Self::Flag(_) => "flag",
            Self::World(_) => "world",
            Self::SubAgent(_) => "sub_agent",
            Self::Other(other) => &other.kind,
        }
    }

    fn to_body(&self) -> serde_json::Result<Box<RawValue>> {
        match self {
            Self::ModelCall(body) => to_raw_value(body),
            Self::ToolRun(body) => to_raw_value(body),
            Self::CodeCell(body) => to_raw_value(body),
            Self::State(body) => to_raw_value(body),
            Self::LimitReached(body) => to_raw_value(body),
            Self::Flag(body) => to_raw_value(body),
            Self::World(body) => to_raw_value(body),
            Self::SubAgent(body) => to_raw_value(body),
            Self::Other(other) => RawValue::from_string(other.body.clone()),
        }
    }

    fn from_body(kind: String, body: &RawValue) -> serde_json::Result<Self> {
        fn read<T: DeserializeOwned>(body: &RawValue) -> serde_json::Result<T> {
            serde_json::from_str(body.get())
        }
        Ok(match kind.as_str() {
            "model_call" => Self::ModelCall(read(body)?),
            "tool_run" => Self::ToolRun(read(body)?),
            "code_cell" => Self::CodeCell(read(body)?),
            "state" => Self::State(read(body)?),
            "limit_reached" => Self::LimitReached(read(body)?),
            "flag" => Self::Flag(read(body)?),
            "world" => Self::World(read(body)?),
            "sub_agent" => Self::SubAgent(read(body)?),
            _ => Self::Other(OtherEvent { kind, body: body.get().to_owned() }),
        })
    }
}

/// An event as it stands in files.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventRecord {
    at_ns: Time,
    kind: String,
    body: Box<RawValue>,
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = self.kind.to_body().map_err(S::Error::custom)?;
        EventRecord { at_ns: self.at, kind: self.kind.name().to_owned(), body }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let record = EventRecord::deserialize(deserializer)?;
        let kind = EventKind::from_body(record.kind, &record.body).map_err(D::Error::custom)?;
        Ok(Self { at: record.at_ns, kind })
    }
}
