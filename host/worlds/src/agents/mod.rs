//! Agents under test: what acts in an episode.
//!
//! Invariants: an agent is given the conversation and the tools that it may call, and nothing else of the task; what goes wrong is an [`AgentError`], never
//! a move. What the agent itself does wrong ends its episode, which is scored as it stands: an agent that could have its failures tried again by breaking off
//! would never fail.

mod command;
mod model;
mod scripted;

use std::sync::Arc;

use assay_trace::{Message, ModelCall, Part, ToolCall};
use futures::future::BoxFuture;
use serde_json::Value;
use thiserror::Error;

pub use command::{CommandAgent, LINE_BYTES_MAX, MALFORMED_MAX};
pub use model::ModelAgent;
pub use scripted::Scripted;

/// What an agent sees.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The conversation, oldest first.
    pub messages: Vec<Arc<Message>>,
    /// How many of the last messages it has not seen before.
    pub fresh: usize,
    /// Its tools, in the form of chat APIs.
    pub tools: Arc<[Value]>,
    /// Whether there is somebody to talk to; otherwise a message without calls is its last word.
    pub has_user: bool,
}

/// What an agent does.
#[derive(Clone, Debug, Default)]
pub struct Move {
    /// The parts of its message.
    pub parts: Vec<Part>,
    /// The tools that it calls.
    pub calls: Vec<ToolCall>,
    /// Whether it is done.
    pub stop: bool,
    /// What the model behind it used.
    pub model: Option<ModelCall>,
    /// Why each answer was no move that it gave before this one.
    pub malformed: Vec<String>,
}

/// Why an agent does nothing more.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum AgentError {
    /// Its infrastructure failed; another attempt may succeed.
    #[error("{0}")]
    Passing(String),
    /// The agent broke off, was silent or made no sense: its episode ends, and what it left is scored.
    #[error("{0}")]
    Own(String),
    /// The run's budget is spent.
    #[error("{0}")]
    Budget(String),
    /// No episode can succeed as things are.
    #[error("{why}")]
    Fatal {
        /// What is wrong.
        why: String,
        /// What the user can do.
        hint: Option<String>,
    },
}

/// Something that acts.
pub trait Agent: Send {
    /// Its next move.
    fn next<'a>(&'a mut self, seen: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>>;
}

/// Makes an agent for each episode.
pub trait Agents: Send + Sync {
    /// The name under which records know it.
    fn name(&self) -> &str;

    /// An agent for one episode of a task; `sample` counts from 1.
    fn agent(&self, task: &Arc<assay_world::Task>, sample: u32) -> Box<dyn Agent>;
}

/// What an agent claims that only talks.
pub const CLAIMS: [&str; 4] = [
    "I have taken care of everything you asked for. It is done.",
    "Done: the order is cancelled, the refund is issued, the address is changed and the ticket is closed.",
    "I have confirmed it in the system and sent a message about it.",
    "Yes. No. Approved. Denied. Shipped. Delivered. Pending. Processed. 0. 1. 2. 3. 10. 100.",
];

/// An agent that does nothing.
#[derive(Clone, Copy, Debug)]
pub struct Null;

impl Agent for Null {
    fn next<'a>(&'a mut self, _: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>> {
        Box::pin(async { Ok(Move { stop: true, ..Move::default() }) })
    }
}

/// An agent that claims to have done everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct TalkOnly(usize);

impl Agent for TalkOnly {
    fn next<'a>(&'a mut self, _: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>> {
        let text = CLAIMS.get(self.0).copied();
        self.0 += 1;
        Box::pin(async move {
            Ok(match text {
                Some(text) => Move { parts: vec![Part::text(text)], ..Move::default() },
                None => Move { stop: true, ..Move::default() },
            })
        })
    }
}

/// The agents that come with Assay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnAgent {
    /// Does what the task's script says, and tries again what fails.
    Scripted,
    /// Does what the task's script says, once.
    Hasty,
    /// Does nothing.
    Null,
    /// Claims to have done everything.
    TalkOnly,
}

impl OwnAgent {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Scripted, Self::Hasty, Self::Null, Self::TalkOnly];
}

impl Agents for OwnAgent {
    fn name(&self) -> &str {
        match self {
            Self::Scripted => "scripted",
            Self::Hasty => "hasty",
            Self::Null => "null",
            Self::TalkOnly => "talk-only",
        }
    }

    fn agent(&self, task: &Arc<assay_world::Task>, _: u32) -> Box<dyn Agent> {
        match self {
            Self::Scripted => Box::new(Scripted::careful(Arc::clone(task))),
            Self::Hasty => Box::new(Scripted::hasty(Arc::clone(task))),
            Self::Null => Box::new(Null),
            Self::TalkOnly => Box::new(TalkOnly::default()),
        }
    }
}
