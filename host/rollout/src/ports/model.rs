//! A language model: messages in, one assistant's message out.
//!
//! Invariants: an answer comes whole or not at all, whether it was streamed or not; what it used and cost may be unknown, which is not zero;
//! no error text holds a key.

use std::sync::Arc;

use assay_trace::{Message, Part, ToolCall, Usage};
use futures::future::BoxFuture;
use serde_json::Value;
use thiserror::Error;

/// Is told what a model says while it says it, in pieces. It must not block.
pub type Hear<'a> = dyn Fn(&str) + Sync + 'a;

/// Something that answers conversations.
pub trait Model: Send + Sync {
    /// The name under which trajectories and prices know it, for example `openai:gpt-x`.
    fn name(&self) -> &str;

    /// Asks for the next message. Retries, pacing and budgets of the whole run are the implementation's business.
    fn ask(&self, request: ModelRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>>;

    /// The same, and says it aloud. What was heard of an answer that then broke off is said again with the next. A model that answers at once
    /// says nothing before it.
    fn ask_aloud<'a>(
        &'a self,
        request: ModelRequest,
        _hear: &'a Hear<'a>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.ask(request)
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The conversation, oldest first. Shared, because each step asks with all that went before.
    pub messages: Vec<Arc<Message>>,
    /// Tools in the form of chat APIs; empty where the model acts by code blocks only.
    pub tools: Arc<[Value]>,
    /// The sampling temperature; the provider's own where none is set.
    pub temperature: Option<f64>,
    /// The longest answer, in tokens; the provider's own where none is set.
    pub output_tokens_max: Option<u32>,
    /// A seed, for providers that take one.
    pub seed: Option<u64>,
    /// Replies that the conversation has had, those that are no longer among the messages included. No provider is told.
    pub replies: u32,
    /// Which sample of the same request this is: a cassette keeps one answer for each.
    pub epoch: u32,
}

/// What came back.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelReply {
    /// The parts of the assistant's message, in order.
    pub parts: Vec<Part>,
    /// The tools that it calls.
    pub tool_calls: Vec<ToolCall>,
    /// What it used; none where the provider did not say.
    pub usage: Option<Usage>,
    /// What it cost in micro-dollars; none where the price is unknown.
    pub cost_microdollars: Option<u64>,
    /// Requests beyond the first.
    pub retries: u32,
    /// Why the model stopped, in the provider's word.
    pub stop_reason: Option<String>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ModelError {
    /// The provider cannot be reached, is overloaded or broke off, and retrying did not help. The infrastructure's fault.
    #[error("the model is unavailable after {retries} retries: {why}")]
    Unavailable {
        /// What happened last.
        why: String,
        /// Requests beyond the first.
        retries: u32,
    },
    /// The provider refuses the request: a wrong key, an unknown model, a parameter it does not take. The user's to mend.
    #[error("the provider rejected the request: {why}")]
    Refused {
        /// Its reason.
        why: String,
        /// What the user can do.
        hint: Option<String>,
    },
    /// The conversation is longer than the model's context.
    #[error("the conversation is too long for the model: {why}")]
    ContextTooLong {
        /// The provider's words.
        why: String,
    },
    /// The run's budget of tokens or money is used up.
    #[error("the run's budget is used up: {what}")]
    BudgetSpent {
        /// Which one, how much of it.
        what: String,
    },
    /// A script or a cassette has no answer to this request.
    #[error("no recorded answer: {why}")]
    NoAnswer {
        /// Which request, and what is there instead.
        why: String,
    },
}

impl ModelError {
    /// Whether trying the episode again can help: the trouble was the infrastructure's.
    #[must_use]
    pub const fn is_infrastructure(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }
}
