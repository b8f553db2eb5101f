//! A language model as an agent: the conversation and the tools go to it as they are.

use std::sync::Arc;

use assay_model::Nanos;
use assay_rollout::ports::{Model, ModelError, ModelRequest};
use assay_trace::ModelCall;
use futures::future::BoxFuture;

use super::{Agent, AgentError, Move, Seen};

/// See the module documentation.
pub struct ModelAgent {
    model: Arc<dyn Model>,
    epoch: u32,
    replies: u32,
}

impl ModelAgent {
    /// A model in the episode of a sample, which counts from 1.
    #[must_use]
    pub fn new(model: Arc<dyn Model>, sample: u32) -> Self {
        Self { model, epoch: sample.saturating_sub(1), replies: 0 }
    }

    async fn ask(&mut self, seen: &Seen) -> Result<Move, AgentError> {
        let request = ModelRequest {
            messages: seen.messages.clone(),
            tools: Arc::clone(&seen.tools),
            temperature: None,
            output_tokens_max: None,
            seed: None,
            replies: self.replies,
            epoch: self.epoch,
        };
        let reply = self.model.ask(request).await.map_err(failed)?;
        self.replies += 1;
        let is_empty = reply.tool_calls.is_empty() && reply.parts.is_empty();
        let model = ModelCall {
            model: self.model.name().to_owned(),
            usage: reply.usage,
            cost_microdollars: reply.cost_microdollars,
            // Times of a trajectory are the world's.
            latency: Nanos(0),
            retries: reply.retries,
            stop_reason: reply.stop_reason,
            error: None,
        };
        // Where nobody is there to answer, the first message without a call is the last.
        let stop = is_empty || !seen.has_user && reply.tool_calls.is_empty();
        Ok(Move { parts: reply.parts, calls: reply.tool_calls, stop, model: Some(model), ..Move::default() })
    }
}

fn failed(error: ModelError) -> AgentError {
    let why = error.to_string();
    match error {
        ModelError::Unavailable { .. } | ModelError::NoAnswer { .. } => AgentError::Passing(why),
        ModelError::ContextTooLong { .. } => AgentError::Own(why),
        ModelError::BudgetSpent { .. } => AgentError::Budget(why),
        ModelError::Refused { hint, .. } => AgentError::Fatal { why, hint },
    }
}

impl Agent for ModelAgent {
    fn next<'a>(&'a mut self, seen: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>> {
        Box::pin(self.ask(seen))
    }
}
