//! What the samples of an Inspect log and their events are both made of: messages, scores, usage and limits in Inspect's form.

use super::{dollars, seconds};
use crate::identifier::CallId;
use crate::message::{Message, Part, Speaker};
use crate::tool_call::ToolCall;
use crate::trajectory::Trajectory;
use crate::verdict::Verdict;
use crate::{Limit, LimitReached, Usage};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The name under which the score stands.
pub(super) const SCORER: &str = "assay";

pub(super) fn score(verdict: &Verdict, reward: f64) -> Value {
    json!({
        "value": reward,
        "answer": verdict.outcome().map(crate::Outcome::name),
        "explanation": verdict.reason(),
        "metadata": {"scorer": verdict.scorer(), "tree": verdict.score()},
        "history": [],
    })
}

/// Usage in Inspect's form; an unknown cost is left out.
pub(super) fn model_usage(usage: &Usage, cost_microdollars: Option<u64>) -> Value {
    let mut out = json!({
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "total_tokens": usage.total(),
        "input_tokens_cache_write": usage.cache_write,
        "input_tokens_cache_read": usage.cache_read,
        "reasoning_tokens": usage.reasoning,
    });
    if let Some(cost) = cost_microdollars {
        out["total_cost"] = json!(dollars(cost));
    }
    out
}

/// Inspect's name for a limit, with the allowance in Inspect's unit.
pub(super) fn inspect_limit(reached: &LimitReached) -> (&'static str, f64) {
    let plain = reached.allowed as f64;
    match reached.limit {
        Limit::Steps => ("turn", plain),
        Limit::Messages => ("message", plain),
        Limit::Tokens => ("token", plain),
        Limit::CostMicrodollars => ("cost", dollars(reached.allowed)),
        Limit::WallNs => ("time", seconds(reached.allowed)),
        Limit::WorkingNs => ("working", seconds(reached.allowed)),
        Limit::ContextTokens | Limit::Fuel | Limit::MemoryBytes | Limit::OutputBytes => ("custom", plain),
    }
}

pub(super) fn limit_text(reached: &LimitReached) -> String {
    format!("{:?}: {} of {} used", reached.limit, reached.used, reached.allowed)
}

pub(super) fn choice(answer: &Message, names: &Names<'_>, stop_reason: &str) -> Value {
    json!({"message": inspect_message(answer, names), "stop_reason": stop_reason})
}

/// What messages leave out and Inspect wants with each.
pub(super) struct Names<'a> {
    model: &'a str,
    tools: BTreeMap<&'a CallId, &'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn of(trajectory: &'a Trajectory) -> Self {
        Self { model: &trajectory.metadata().model, tools: trajectory.tools_by_call() }
    }
}

/// A message in Inspect's form.
pub(super) fn inspect_message(message: &Message, names: &Names<'_>) -> Value {
    let content: Vec<Value> = message.parts().iter().map(content).collect();
    let mut out = json!({"id": message.id(), "role": message.role().name(), "content": content});
    if !message.meta().is_empty() {
        out["metadata"] = json!(message.meta());
    }
    match message.speaker() {
        Speaker::System => {}
        Speaker::User => out["source"] = json!("input"),
        Speaker::Assistant { tool_calls } => {
            out["source"] = json!("generate");
            out["model"] = json!(names.model);
            if !tool_calls.is_empty() {
                out["tool_calls"] = tool_calls.iter().map(tool_call).collect();
            }
        }
        Speaker::Tool { call_id } => {
            out["tool_call_id"] = json!(call_id);
            out["function"] = json!(names.tools.get(call_id));
        }
    }
    out
}

fn content(part: &Part) -> Value {
    match part {
        Part::Text { text } => json!({"type": "text", "text": text}),
        Part::Image { media_type, source } => {
            json!({"type": "image", "image": source.to_url(*media_type), "detail": "auto"})
        }
        Part::Reasoning { text, signature } => {
            json!({"type": "reasoning", "reasoning": text, "signature": signature, "redacted": false})
        }
        Part::RedactedReasoning { data } => json!({"type": "reasoning", "reasoning": data, "redacted": true}),
    }
}

fn tool_call(call: &ToolCall) -> Value {
    let arguments: Map<String, Value> = call.arguments().cloned().unwrap_or_default();
    // Where parsing failed, the raw text is the only trace of what the model wanted.
    let parse_error = call.parse_error().map(|error| format!("{error}; the arguments were: {}", call.arguments_raw()));
    json!({
        "id": call.id(), "function": call.tool(), "arguments": arguments, "parse_error": parse_error, "type": "function",
    })
}
