//! Chat fine-tuning rows: `{"messages": […], "tools": […], "parallel_tool_calls": …}`, the form of the larger providers' supervised fine-tuning.
//!
//! A row has text and images only: reasoning, events and scores have no place in it, so [`ChatFilter`] chooses beforehand what is worth
//! training on. Tool calls keep the model's own argument text.

use crate::message::{Message, Part, Role};
use crate::trajectory::Trajectory;
use crate::verdict::Outcome;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Which trajectories become rows. A trajectory must meet every condition that is set; one without a verdict or unscored meets none on
/// rewards or outcomes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ChatFilter {
    /// The least reward.
    pub reward_min: Option<f64>,
    /// The highest reward.
    pub reward_max: Option<f64>,
    /// Only these outcomes.
    pub outcomes: Option<BTreeSet<Outcome>>,
    /// None with any of these flags.
    pub without_flags: FlagFilter,
    /// Whether calls whose arguments cannot be understood may be taught.
    pub malformed_calls: MalformedCalls,
}

/// Which flags keep a trajectory out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum FlagFilter {
    /// Every flag does: what is flagged is suspected of cheating.
    #[default]
    Any,
    /// These do.
    Named(BTreeSet<String>),
}

/// What to do with a trajectory in which a call's arguments cannot be understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MalformedCalls {
    /// Leave it out: the model would learn to write them.
    #[default]
    LeaveOut,
    /// Keep it.
    Keep,
}

impl ChatFilter {
    /// Whether the trajectory becomes a row.
    #[must_use]
    pub fn takes(&self, trajectory: &Trajectory) -> bool {
        let verdict = trajectory.verdict();
        let reward = verdict.and_then(crate::Verdict::reward);
        let outcome = verdict.and_then(crate::Verdict::outcome);
        let flags = trajectory.flags();
        let clean = match &self.without_flags {
            FlagFilter::Any => flags.is_empty(),
            FlagFilter::Named(names) => !names.iter().any(|name| flags.contains(name.as_str())),
        };
        let well_formed =
            || trajectory.messages().flat_map(Message::tool_calls).all(|call| call.parse_error().is_none());
        self.reward_min.is_none_or(|least| reward.is_some_and(|reward| reward >= least))
            && self.reward_max.is_none_or(|most| reward.is_some_and(|reward| reward <= most))
            && self.outcomes.as_ref().is_none_or(|wanted| outcome.is_some_and(|outcome| wanted.contains(&outcome)))
            && clean
            && (self.malformed_calls == MalformedCalls::Keep || well_formed())
    }
}

/// One row.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatRow {
    /// The conversation.
    pub messages: Vec<ChatMessage>,
    /// The tools that were offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Map<String, Value>>,
    /// Whether some message calls more than one tool; only with tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
}

/// One message of a row.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: Role,
    /// What; an assistant that only calls tools says nothing.
    pub content: Option<ChatContent>,
    /// The tools that it calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ChatToolCall>,
    /// The call that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// Plain text, or pieces. The format has both in one place, told apart by their type alone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ChatContent {
    /// Plain text.
    Text(String),
    /// Pieces.
    Parts(Vec<ChatPart>),
}

/// A piece of content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ChatPart {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    ImageUrl {
        /// Where it is.
        image_url: ChatImage,
    },
}

/// An image's address.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatImage {
    /// A URL, `data:` included.
    pub url: String,
}

/// A tool call of a row.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatToolCall {
    /// Its id.
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: ChatCallKind,
    /// What is called.
    pub function: ChatFunction,
}

/// The kind of a tool call; there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatCallKind {
    /// A function.
    Function,
}

/// A called function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChatFunction {
    /// Its name.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
}

/// The trajectory as a row, whatever any filter says of it.
#[must_use]
pub fn chat_row(trajectory: &Trajectory) -> ChatRow {
    let tools = trajectory.metadata().tools.clone();
    let parallel = trajectory.messages().any(|message| message.tool_calls().len() > 1);
    let parallel_tool_calls = (!tools.is_empty()).then_some(parallel);
    ChatRow { messages: trajectory.messages().map(chat_message).collect(), tools, parallel_tool_calls }
}

pub(super) fn chat_message(message: &Message) -> ChatMessage {
    let tool_calls = message.tool_calls().iter().map(|call| ChatToolCall {
        id: call.id().to_string(),
        kind: ChatCallKind::Function,
        function: ChatFunction { name: call.tool().to_owned(), arguments: call.arguments_raw().to_owned() },
    });
    let parts: Vec<_> = message.parts().iter().filter_map(chat_part).collect();
    let has_image = parts.iter().any(|part| matches!(part, ChatPart::ImageUrl { .. }));
    let content = if has_image {
        Some(ChatContent::Parts(parts))
    } else if parts.is_empty() && !message.tool_calls().is_empty() {
        None
    } else {
        Some(ChatContent::Text(message.text()))
    };
    ChatMessage {
        role: message.role(),
        content,
        tool_calls: tool_calls.collect(),
        tool_call_id: message.answers().map(ToString::to_string),
    }
}

fn chat_part(part: &Part) -> Option<ChatPart> {
    match part {
        Part::Text { text } => Some(ChatPart::Text { text: text.clone() }),
        Part::Image { media_type, source } => {
            Some(ChatPart::ImageUrl { image_url: ChatImage { url: source.to_url(*media_type) } })
        }
        Part::Reasoning { .. } | Part::RedactedReasoning { .. } => None,
    }
}
