//! `OpenAI`'s chat completion chunks, and what compatible servers and `OpenRouter` add to them.
//!
//! Format: <https://platform.openai.com/docs/api-reference/chat-streaming>, <https://openrouter.ai/docs/use-cases/reasoning-tokens>.
//! Usage: `prompt_tokens` holds the cached ones, `completion_tokens` the reasoning.
//!
//! `OpenRouter`'s `reasoning_details` want to come back as they were: the text of one becomes the text of a reasoning part and the rest of
//! its fields the signature, one without text becomes redacted reasoning. `crate::speak` turns them back.

use super::{
    Answer, CallDraft, PARTS_MAX, TOOL_CALLS_MAX, add_reasoning, add_text, call_bytes, count, finish_calls, last_text,
    malformed, parse, text,
};
use crate::request::part_bytes;
use crate::spec::Provider;
use crate::trouble::{Trouble, from_event};
use assay_trace::{Part, Usage};
use serde_json::{Map, Value};

/// The fields of a reasoning detail that hold its text.
pub(crate) const DETAIL_TEXTS: [&str; 2] = ["text", "summary"];

/// The dearest request believed, in dollars.
const COST_MAX: f64 = 100_000.0;

#[derive(Debug)]
pub(crate) struct Listener {
    provider: Provider,
    parts: Vec<Part>,
    details: Vec<Map<String, Value>>,
    calls: Vec<CallDraft>,
    usage: Option<Usage>,
    cost_microdollars: Option<u64>,
    stop_reason: Option<String>,
    is_done: bool,
}

impl Listener {
    pub(super) const fn new(provider: Provider) -> Self {
        Self {
            provider,
            parts: Vec::new(),
            details: Vec::new(),
            calls: Vec::new(),
            usage: None,
            cost_microdollars: None,
            stop_reason: None,
            is_done: false,
        }
    }

    pub(super) fn hear(&mut self, data: &str) -> Result<(), Trouble> {
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let frame = parse(data)?;
        if frame.get("error").is_some_and(|error| !error.is_null()) {
            return Err(from_event(self.provider, &frame));
        }
        if let Some(usage) = frame.get("usage").and_then(usage) {
            self.usage = Some(usage);
        }
        if let (Provider::OpenRouter, Some(cost)) = (self.provider, frame.pointer("/usage/cost")) {
            // Where the key behind the gateway is the user's own, the cost is the gateway's fee, and the provider's bill comes on top.
            let is_own = frame.pointer("/usage/is_byok").and_then(Value::as_bool) == Some(true);
            let bill = if is_own {
                frame.pointer("/usage/cost_details/upstream_inference_cost").and_then(Value::as_f64)
            } else {
                Some(0.0)
            };
            self.cost_microdollars = cost.as_f64().zip(bill).and_then(|(cost, bill)| microdollars(cost + bill));
        }
        let Some(choice) = frame.pointer("/choices/0") else { return Ok(()) };
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.stop_reason = Some(reason.to_owned());
        }
        let Some(delta) = choice.get("delta") else { return Ok(()) };
        let list = |field: &str| delta.get(field).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let details = list("reasoning_details");
        if details.is_empty() {
            let reasoning = ["reasoning_content", "reasoning"].map(|field| text(delta, field));
            add_reasoning(&mut self.parts, reasoning.into_iter().find(|text| !text.is_empty()).unwrap_or_default())?;
        }
        details.iter().try_for_each(|detail| self.hear_detail(detail))?;
        add_text(&mut self.parts, text(delta, "content"))?;
        list("content").iter().try_for_each(|chunk| add_text(&mut self.parts, text(chunk, "text")))?;
        list("tool_calls").iter().try_for_each(|call| self.hear_call(call))
    }

    fn hear_detail(&mut self, detail: &Value) -> Result<(), Trouble> {
        let Some(fields) = detail.as_object() else { return Ok(()) };
        let same = |known: &&mut Map<String, Value>| {
            known.get("type") == fields.get("type") && known.get("index") == fields.get("index")
        };
        let Some(known) = self.details.iter_mut().rev().find(same) else {
            if self.details.len() >= PARTS_MAX {
                return Err(malformed(format!("more than {PARTS_MAX} reasoning details")));
            }
            self.details.push(fields.clone());
            return Ok(());
        };
        for (field, value) in fields {
            match (known.get_mut(field), value) {
                (_, Value::Null) => {}
                (Some(Value::String(so_far)), Value::String(more))
                    if DETAIL_TEXTS.contains(&field.as_str()) || field == "data" =>
                {
                    so_far.push_str(more);
                }
                _ => {
                    known.insert(field.clone(), value.clone());
                }
            }
        }
        Ok(())
    }

    fn hear_call(&mut self, call: &Value) -> Result<(), Trouble> {
        let index = call.get("index").and_then(Value::as_u64).unwrap_or(0);
        let function = call.get("function").unwrap_or(&Value::Null);
        let (id, tool) = (text(call, "id"), text(function, "name"));
        // Servers that number all calls alike tell them apart by id.
        let continues = |known: &CallDraft| id.is_empty() || tool.is_empty() || known.id.is_empty() || known.id == id;
        let known = self.calls.iter().rposition(|known| known.index == index).filter(|at| continues(&self.calls[*at]));
        let at = known.unwrap_or(self.calls.len());
        if at >= TOOL_CALLS_MAX {
            return Err(malformed(format!("more than {TOOL_CALLS_MAX} tool calls")));
        }
        if known.is_none() {
            self.calls.push(CallDraft { index, ..CallDraft::default() });
        }
        let draft = &mut self.calls[at];
        if draft.id.is_empty() {
            id.clone_into(&mut draft.id);
        }
        if draft.tool.is_empty() {
            tool.clone_into(&mut draft.tool);
        }
        draft.arguments.push_str(text(function, "arguments"));
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        let details = self.details.iter().flat_map(Map::values).filter_map(Value::as_str).map(str::len);
        self.parts.iter().map(part_bytes).sum::<usize>() + details.sum::<usize>() + call_bytes(&self.calls)
    }

    pub(super) fn saying(&self) -> Option<(usize, &str)> {
        last_text(&self.parts)
    }

    pub(super) const fn is_over(&self) -> bool {
        self.is_done
    }

    pub(super) fn finish(self) -> Option<Answer> {
        let said_something = !self.parts.is_empty() || !self.calls.is_empty();
        if self.stop_reason.is_none() && !(self.is_done && said_something) {
            return None;
        }
        let mut calls = self.calls;
        calls.sort_by_key(|call| call.index);
        Some(Answer {
            parts: self.details.into_iter().map(detail_part).chain(self.parts).collect(),
            tool_calls: finish_calls(calls),
            usage: self.usage,
            cost_microdollars: self.cost_microdollars,
            stop_reason: self.stop_reason,
        })
    }
}

fn detail_part(mut detail: Map<String, Value>) -> Part {
    let is_text = |field: &&str| detail.get(*field).is_some_and(Value::is_string);
    match DETAIL_TEXTS.into_iter().find(is_text).and_then(|field| detail.remove(field)) {
        Some(Value::String(text)) => Part::Reasoning { text, signature: Some(Value::Object(detail).to_string()) },
        _ => Part::RedactedReasoning { data: Value::Object(detail).to_string() },
    }
}

/// `OpenRouter` says what a request cost, in dollars ("Usage accounting"). An absurd figure is none.
fn microdollars(dollars: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    (0.0..=COST_MAX).contains(&dollars).then(|| (dollars * 1e6).ceil() as u64)
}

fn usage(value: &Value) -> Option<Usage> {
    let prompt = count(value, "/prompt_tokens")?;
    let output = count(value, "/completion_tokens")?;
    let cache_read = count(value, "/prompt_tokens_details/cached_tokens").unwrap_or(0).min(prompt);
    let written = count(value, "/prompt_tokens_details/cache_write_tokens").unwrap_or(0);
    let cache_write = written.min(prompt - cache_read);
    let reasoning = count(value, "/completion_tokens_details/reasoning_tokens").unwrap_or(0).min(output);
    Some(Usage { input: prompt - cache_read - cache_write, output, cache_read, cache_write, reasoning })
}
