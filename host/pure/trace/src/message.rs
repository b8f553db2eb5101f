//! Messages: immutable and checked when made.
//!
//! Invariants: only an assistant calls tools or reasons; a tool's message, and no other, answers a call; the ids of one message's
//! calls differ. [`Speaker`] holds what only one role has, so most wrong messages cannot even be written down.
//! Absent on purpose: setters. [`Message::with_meta`] gives a new message.

use crate::base64::Base64;
use crate::identifier::{CallId, MessageId};
use crate::tool_call::ToolCall;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Free-form notes on a message. They are kept, never interpreted.
pub type Meta = BTreeMap<String, Value>;

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The instructions.
    System,
    /// The person, or what stands in for one.
    User,
    /// The model.
    Assistant,
    /// A tool that answers a call.
    Tool,
}

impl Role {
    /// The role's name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// Who speaks, with what only that role has.
#[derive(Clone, PartialEq, Debug)]
pub enum Speaker {
    /// The instructions.
    System,
    /// The person, or what stands in for one.
    User,
    /// The model.
    Assistant {
        /// What it asks of tools, in its order.
        tool_calls: Vec<ToolCall>,
    },
    /// A tool.
    Tool {
        /// The call that this answers.
        call_id: CallId,
    },
}

/// The kinds of image that every provider and every exported format takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum MediaType {
    #[serde(rename = "image/png")]
    Png,
    #[serde(rename = "image/jpeg")]
    Jpeg,
    #[serde(rename = "image/gif")]
    Gif,
    #[serde(rename = "image/webp")]
    Webp,
}

impl MediaType {
    /// The registered name, for example `image/png`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }

    /// The usual end of a file's name, for example `png`.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.name().trim_start_matches("image/")
    }
}

/// Where an image is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageSource {
    /// The bytes themselves.
    Data(Base64),
    /// An address.
    Url(String),
}

/// One piece of a message. Order matters: providers want signed reasoning back exactly where it stood.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Part {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Its kind.
        media_type: MediaType,
        /// Its bytes or address.
        source: ImageSource,
    },
    /// What the model thought, as far as the provider shows it.
    Reasoning {
        /// The thought.
        text: String,
        /// The provider's signature over it, to be sent back unchanged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// Reasoning that the provider hides, to be sent back unchanged.
    RedactedReasoning {
        /// The provider's opaque data.
        data: String,
    },
}

impl Part {
    /// A piece of plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    const fn is_reasoning(&self) -> bool {
        matches!(self, Self::Reasoning { .. } | Self::RedactedReasoning { .. })
    }
}

impl ImageSource {
    /// The address of the image: its URL, or its bytes as a `data:` URL.
    #[must_use]
    pub fn to_url(&self, media_type: MediaType) -> String {
        match self {
            Self::Url(url) => url.clone(),
            Self::Data(base64) => format!("data:{};base64,{}", media_type.name(), base64.as_str()),
        }
    }
}

/// One message.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "MessageRecord", into = "MessageRecord")]
pub struct Message {
    id: MessageId,
    speaker: Speaker,
    parts: Vec<Part>,
    meta: Meta,
}

impl Message {
    /// A message, checked.
    ///
    /// # Errors
    /// Two tool calls share an id, or somebody but the assistant reasons.
    pub fn new(id: MessageId, speaker: Speaker, parts: Vec<Part>, meta: Meta) -> Result<Self, MessageError> {
        let message = Self { id, speaker, parts, meta };
        let role = message.role();
        if role != Role::Assistant && message.parts.iter().any(Part::is_reasoning) {
            return Err(MessageError::ReasoningElsewhere { role });
        }
        let mut seen = BTreeSet::new();
        for call in message.tool_calls() {
            if !seen.insert(call.id()) {
                return Err(MessageError::DuplicateCallId { id: call.id().clone() });
            }
        }
        Ok(message)
    }

    /// The system's instructions.
    #[must_use]
    pub fn system(id: MessageId, text: impl Into<String>) -> Self {
        Self { id, speaker: Speaker::System, parts: vec![Part::text(text)], meta: Meta::new() }
    }

    /// A person's message of plain text; [`Message::new`] takes images too.
    #[must_use]
    pub fn user(id: MessageId, text: impl Into<String>) -> Self {
        Self { id, speaker: Speaker::User, parts: vec![Part::text(text)], meta: Meta::new() }
    }

    /// The model's message.
    ///
    /// # Errors
    /// Two tool calls share an id.
    pub fn assistant(id: MessageId, parts: Vec<Part>, tool_calls: Vec<ToolCall>) -> Result<Self, MessageError> {
        Self::new(id, Speaker::Assistant { tool_calls }, parts, Meta::new())
    }

    /// A tool's answer of plain text; [`Message::new`] takes images too.
    #[must_use]
    pub fn tool(id: MessageId, call_id: CallId, text: impl Into<String>) -> Self {
        Self { id, speaker: Speaker::Tool { call_id }, parts: vec![Part::text(text)], meta: Meta::new() }
    }

    /// The same message with one more note, or with the note of that name replaced.
    #[must_use]
    pub fn with_meta(mut self, name: impl Into<String>, note: Value) -> Self {
        self.meta.insert(name.into(), note);
        self
    }

    /// The message of a record, which is at `position` (from 1) in its trajectory: where it has no id, it takes that of its position.
    ///
    /// # Errors
    /// As [`Message::try_from`], but for the missing id.
    pub fn from_record(record: MessageRecord, position: usize) -> Result<Self, MessageError> {
        let id = record.id.clone().unwrap_or_else(|| MessageId::by_position(position));
        Self::try_from(MessageRecord { id: Some(id), ..record })
    }

    /// The message's id.
    #[must_use]
    pub fn id(&self) -> &MessageId {
        &self.id
    }

    /// Who speaks, with what only that role has.
    #[must_use]
    pub fn speaker(&self) -> &Speaker {
        &self.speaker
    }

    /// Who speaks.
    #[must_use]
    pub fn role(&self) -> Role {
        match self.speaker {
            Speaker::System => Role::System,
            Speaker::User => Role::User,
            Speaker::Assistant { .. } => Role::Assistant,
            Speaker::Tool { .. } => Role::Tool,
        }
    }

    /// The pieces, in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The tool calls, in order; none unless an assistant speaks.
    #[must_use]
    pub fn tool_calls(&self) -> &[ToolCall] {
        match &self.speaker {
            Speaker::Assistant { tool_calls } => tool_calls,
            _ => &[],
        }
    }

    /// The call that this answers, if a tool speaks.
    #[must_use]
    pub fn answers(&self) -> Option<&CallId> {
        match &self.speaker {
            Speaker::Tool { call_id } => Some(call_id),
            _ => None,
        }
    }

    /// The notes.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// All text pieces, joined by line breaks.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// A message as it stands in files, ours and foreign: nothing in it is checked yet.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageRecord {
    /// The id; older records have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<MessageId>,
    /// Who speaks.
    pub role: Role,
    /// The pieces.
    #[serde(default)]
    pub parts: Vec<Part>,
    /// The tool calls; only an assistant may have some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that is answered; a tool, and nobody else, must have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<CallId>,
    /// Free-form notes; older records have none.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// Why a record is not a message.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MessageError {
    /// The record has no id and its position is not known.
    #[error("the message has no id")]
    MissingId,
    /// Two calls of one message share an id, so an answer could not be told apart.
    #[error("two tool calls share the id {id}")]
    DuplicateCallId {
        /// The id.
        id: CallId,
    },
    /// Somebody but an assistant calls tools.
    #[error("a {} message must not call tools", role.name())]
    CallsElsewhere {
        /// Who.
        role: Role,
    },
    /// Somebody but an assistant reasons.
    #[error("a {} message must not hold reasoning", role.name())]
    ReasoningElsewhere {
        /// Who.
        role: Role,
    },
    /// Somebody but a tool answers a call.
    #[error("a {} message must not carry `tool_call_id`", role.name())]
    AnswerElsewhere {
        /// Who.
        role: Role,
    },
    /// A tool's message does not say which call it answers.
    #[error("a tool message must carry `tool_call_id`")]
    AnswerToNothing,
}

impl TryFrom<MessageRecord> for Message {
    type Error = MessageError;

    fn try_from(record: MessageRecord) -> Result<Self, MessageError> {
        let MessageRecord { id, role, parts, tool_calls, tool_call_id, meta } = record;
        if role != Role::Assistant && !tool_calls.is_empty() {
            return Err(MessageError::CallsElsewhere { role });
        }
        let speaker = match (role, tool_call_id) {
            (Role::Tool, Some(call_id)) => Speaker::Tool { call_id },
            (Role::Tool, None) => return Err(MessageError::AnswerToNothing),
            (_, Some(_)) => return Err(MessageError::AnswerElsewhere { role }),
            (Role::System, None) => Speaker::System,
            (Role::User, None) => Speaker::User,
            (Role::Assistant, None) => Speaker::Assistant { tool_calls },
        };
        Self::new(id.ok_or(MessageError::MissingId)?, speaker, parts, meta)
    }
}

impl From<Message> for MessageRecord {
    fn from(message: Message) -> Self {
        let (role, id) = (message.role(), Some(message.id));
        let (tool_calls, tool_call_id) = match message.speaker {
            Speaker::Assistant { tool_calls } => (tool_calls, None),
            Speaker::Tool { call_id } => (Vec::new(), Some(call_id)),
            Speaker::System | Speaker::User => (Vec::new(), None),
        };
        Self { id, role, parts: message.parts, tool_calls, tool_call_id, meta: message.meta }
    }
}
