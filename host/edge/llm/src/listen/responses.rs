//! `OpenAI`'s response events.
//!
//! Format: <https://platform.openai.com/docs/api-reference/responses-streaming>. Usage: `input_tokens` holds the cached ones, `output_tokens` the
//! reasoning. A reasoning item wants to come back as it was, so all of it stands in the part's signature, beside the summary that it may have.

use super::{Answer, CallDraft, PARTS_MAX, TOOL_CALLS_MAX, add_text, count, finish_calls, malformed, parse, text};
use crate::spec::Provider;
use crate::trouble::{Trouble, from_event};
use assay_trace::{Part, Usage};
use serde_json::{Value, json};

#[derive(Debug, Default)]
pub(crate) struct Listener {
    parts: Vec<Part>,
    calls: Vec<CallDraft>,
    usage: Option<Usage>,
    stop_reason: Option<String>,
    /// What was said so far, as it was said: the items come whole at their end.
    said: String,
    bytes: usize,
}

impl Listener {
    pub(super) fn hear(&mut self, data: &str) -> Result<(), Trouble> {
        let frame = parse(data)?;
        let delta = text(&frame, "delta");
        self.bytes = self.bytes.saturating_add(delta.len());
        match text(&frame, "type") {
            "response.output_text.delta" | "response.refusal.delta" => self.said.push_str(delta),
            "response.output_item.done" => return self.item(frame.get("item").unwrap_or(&Value::Null)),
            "response.completed" => self.end(&frame, "completed"),
            "response.incomplete" => {
                let reason = frame.pointer("/response/incomplete_details/reason").and_then(Value::as_str);
                self.end(&frame, reason.unwrap_or("incomplete"));
            }
            "response.failed" => return Err(failed(frame.pointer("/response/error").unwrap_or(&Value::Null))),
            "error" => return Err(failed(frame.get("error").unwrap_or(&frame))),
            _ => {}
        }
        Ok(())
    }

    fn item(&mut self, item: &Value) -> Result<(), Trouble> {
        let list = |field: &str| item.get(field).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if self.parts.len() >= PARTS_MAX || self.calls.len() >= TOOL_CALLS_MAX {
            return Err(malformed(format!("more than {PARTS_MAX} parts or {TOOL_CALLS_MAX} tool calls")));
        }
        match text(item, "type") {
            "message" => list("content").iter().try_for_each(|part| {
                add_text(&mut self.parts, text(part, "text"))?;
                add_text(&mut self.parts, text(part, "refusal"))
            })?,
            "reasoning" => {
                let summary: Vec<&str> = list("summary").iter().map(|part| text(part, "text")).collect();
                let (text, whole) = (summary.join("\n\n"), item.to_string());
                self.parts.push(if text.is_empty() {
                    Part::RedactedReasoning { data: whole }
                } else {
                    Part::Reasoning { text, signature: Some(whole) }
                });
            }
            "function_call" => self.calls.push(CallDraft {
                index: self.calls.len() as u64,
                id: text(item, "call_id").to_owned(),
                tool: text(item, "name").to_owned(),
                arguments: text(item, "arguments").to_owned(),
            }),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, frame: &Value, reason: &str) {
        self.stop_reason = Some(reason.to_owned());
        self.usage = frame.pointer("/response/usage").and_then(usage);
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn saying(&self) -> Option<(usize, &str)> {
        (!self.said.is_empty()).then_some((0, self.said.as_str()))
    }

    pub(super) const fn is_over(&self) -> bool {
        self.stop_reason.is_some()
    }

    pub(super) fn finish(self) -> Option<Answer> {
        self.stop_reason.as_ref()?;
        Some(Answer {
            parts: self.parts,
            tool_calls: finish_calls(self.calls),
            usage: self.usage,
            cost_microdollars: None,
            stop_reason: self.stop_reason,
        })
    }
}

/// An error by its code, in the words of the other dialects.
fn failed(error: &Value) -> Trouble {
    let kind = match text(error, "code") {
        // Refused or asked again by the text, as the status 429 is.
        "rate_limit_exceeded" | "insufficient_quota" => "rate_limit_error",
        "context_length_exceeded" | "invalid_prompt" => "invalid_request_error",
        _ => text(error, "type"),
    };
    from_event(Provider::OpenAi, &json!({"error": {"message": text(error, "message"), "type": kind, "why": error}}))
}

fn usage(value: &Value) -> Option<Usage> {
    let prompt = count(value, "/input_tokens")?;
    let output = count(value, "/output_tokens")?;
    let cache_read = count(value, "/input_tokens_details/cached_tokens").unwrap_or(0).min(prompt);
    let reasoning = count(value, "/output_tokens_details/reasoning_tokens").unwrap_or(0).min(output);
    Some(Usage { input: prompt - cache_read, output, cache_read, cache_write: 0, reasoning })
}
