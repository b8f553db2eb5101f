//! Gemini's streamed responses: each frame is a whole response with the next pieces.
//!
//! Format: <https://ai.google.dev/api/generate-content>, <https://ai.google.dev/gemini-api/docs/thought-signatures>. Usage: the prompt's
//! count holds the cached tokens, the candidates' count does not hold the thoughts. Arguments come as JSON values, so there is no raw text:
//! they are written out once, here.
//!
//! A signature stands on a piece of text or on a call. It becomes reasoning without text right before that piece; those of calls follow
//! all other parts, in the calls' order. `crate::speak` puts them back.

use super::{
    Answer, CallDraft, TOOL_CALLS_MAX, add_part, add_reasoning, add_text, call_bytes, count, finish_calls, last_text,
    malformed, parse, text,
};
use crate::request::part_bytes;
use crate::spec::Provider;
use crate::trouble::{Trouble, from_event};
use assay_trace::{Part, Usage};
use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct Listener {
    parts: Vec<Part>,
    call_signatures: Vec<String>,
    calls: Vec<CallDraft>,
    usage: Option<Usage>,
    stop_reason: Option<String>,
}

impl Listener {
    pub(super) fn hear(&mut self, data: &str) -> Result<(), Trouble> {
        let frame = parse(data)?;
        if frame.get("error").is_some_and(|error| !error.is_null()) {
            return Err(from_event(Provider::Gemini, &frame));
        }
        if let Some(usage) = frame.get("usageMetadata").and_then(usage) {
            self.usage = Some(usage);
        }
        let Some(candidate) = frame.pointer("/candidates/0") else {
            return match frame.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
                Some(reason) => Err(Trouble::refused(format!("the prompt is blocked: {reason}"), None)),
                None => Ok(()),
            };
        };
        if let Some(parts) = candidate.pointer("/content/parts").and_then(Value::as_array) {
            parts.iter().try_for_each(|part| self.hear_part(part))?;
        }
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            self.stop_reason = Some(reason.to_owned());
        }
        Ok(())
    }

    fn hear_part(&mut self, part: &Value) -> Result<(), Trouble> {
        let signature = text(part, "thoughtSignature");
        if let Some(call) = part.get("functionCall") {
            return self.hear_call(call, signature);
        }
        if part.get("thought").and_then(Value::as_bool) == Some(true) {
            return add_reasoning(&mut self.parts, text(part, "text"));
        }
        if !signature.is_empty() {
            add_part(&mut self.parts, Part::Reasoning { text: String::new(), signature: Some(signature.to_owned()) })?;
        }
        add_text(&mut self.parts, text(part, "text"))
    }

    fn hear_call(&mut self, call: &Value, signature: &str) -> Result<(), Trouble> {
        if self.calls.len() >= TOOL_CALLS_MAX {
            return Err(malformed(format!("more than {TOOL_CALLS_MAX} tool calls")));
        }
        let (index, tool) = (self.calls.len(), text(call, "name"));
        let id = match text(call, "id") {
            // `crate::speak` leaves ids of this form out when it sends the call back, as Gemini did.
            "" => format!("call#{tool}#{index}"),
            id => id.to_owned(),
        };
        let arguments = call.get("args").filter(|arguments| !arguments.is_null()).map(Value::to_string);
        self.calls.push(CallDraft {
            index: index as u64,
            id,
            tool: tool.to_owned(),
            arguments: arguments.unwrap_or_default(),
        });
        if !signature.is_empty() {
            self.call_signatures.push(signature.to_owned());
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        self.parts.iter().map(part_bytes).sum::<usize>() + call_bytes(&self.calls)
    }

    pub(super) fn saying(&self) -> Option<(usize, &str)> {
        last_text(&self.parts)
    }

    pub(super) fn finish(self) -> Option<Answer> {
        self.stop_reason.as_ref()?;
        let signed = |signature| Part::Reasoning { text: String::new(), signature: Some(signature) };
        Some(Answer {
            parts: self.parts.into_iter().chain(self.call_signatures.into_iter().map(signed)).collect(),
            tool_calls: finish_calls(self.calls),
            usage: self.usage,
            cost_microdollars: None,
            stop_reason: self.stop_reason,
        })
    }
}

fn usage(value: &Value) -> Option<Usage> {
    let prompt = count(value, "/promptTokenCount")?;
    let prompt = prompt.saturating_add(count(value, "/toolUsePromptTokenCount").unwrap_or(0));
    let cache_read = count(value, "/cachedContentTokenCount").unwrap_or(0).min(prompt);
    let reasoning = count(value, "/thoughtsTokenCount").unwrap_or(0);
    let output = count(value, "/candidatesTokenCount").unwrap_or(0).saturating_add(reasoning);
    Some(Usage { input: prompt - cache_read, output, cache_read, cache_write: 0, reasoning })
}
