//! What providers say, frame by frame, put together to one answer.
//!
//! Invariants: an answer is made only of a stream that ended as its dialect ends; what a model wrote is kept byte for byte, arguments
//! that are no JSON included; call ids of one answer are valid and differ; nothing grows without a limit.

mod anthropic;
mod gemini;
mod openai;
mod responses;

pub(crate) use openai::DETAIL_TEXTS;

use crate::keys::Key;
use crate::spec::{Dialect, Provider};
use crate::trouble::Trouble;
use assay_trace::{CallId, Part, ToolCall, Usage};
use serde_json::Value;

/// The most tool calls of one answer. Models make a dozen at most; more is a stream gone wild.
pub(crate) const TOOL_CALLS_MAX: usize = 256;
/// The most pieces of one answer, for the same reason.
pub(crate) const PARTS_MAX: usize = 4_096;

/// An answer as it was heard.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) parts: Vec<Part>,
    pub(crate) tool_calls: Vec<ToolCall>,
    pub(crate) usage: Option<Usage>,
    /// What the provider itself says that it cost.
    pub(crate) cost_microdollars: Option<u64>,
    pub(crate) stop_reason: Option<String>,
}

impl Answer {
    /// The same without the key, should a server play it back: an answer ends up in files.
    pub(crate) fn scrubbed(mut self, key: &Key) -> Self {
        for part in &mut self.parts {
            match part {
                Part::Text { text } => *text = key.scrub_answer(text),
                Part::Reasoning { text, signature } => {
                    *text = key.scrub_answer(text);
                    *signature = signature.as_deref().map(|signature| key.scrub_answer(signature));
                }
                Part::RedactedReasoning { data } => *data = key.scrub_answer(data),
                Part::Image { .. } => {}
            }
        }
        let calls = self.tool_calls.iter().enumerate().map(|(index, call)| {
            let id = CallId::new(key.scrub_answer(call.id().as_str())).unwrap_or_else(|_| stand_in_id(index));
            ToolCall::new(id, key.scrub_answer(call.tool()), key.scrub_answer(call.arguments_raw()))
        });
        self.tool_calls = calls.collect();
        self.stop_reason = self.stop_reason.map(|reason| key.scrub_answer(&reason));
        self
    }
}

/// Puts the frames of one stream together.
#[derive(Debug)]
pub(crate) enum Listener {
    OpenAi(openai::Listener),
    Anthropic(anthropic::Listener),
    Gemini(gemini::Listener),
    Responses(responses::Listener),
}

impl Listener {
    pub(crate) fn new(provider: Provider, model: &str) -> Self {
        match Dialect::of(provider, model) {
            Dialect::Chat => Self::OpenAi(openai::Listener::new(provider)),
            Dialect::Responses => Self::Responses(responses::Listener::default()),
            Dialect::Anthropic => Self::Anthropic(anthropic::Listener::default()),
            Dialect::Gemini => Self::Gemini(gemini::Listener::default()),
        }
    }

    /// Takes the data of one frame.
    pub(crate) fn hear(&mut self, data: &str) -> Result<(), Trouble> {
        match self {
            Self::OpenAi(listener) => listener.hear(data),
            Self::Anthropic(listener) => listener.hear(data),
            Self::Gemini(listener) => listener.hear(data),
            Self::Responses(listener) => listener.hear(data),
        }
    }

    /// How many bytes the model has said so far.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::OpenAi(listener) => listener.bytes(),
            Self::Anthropic(listener) => listener.bytes(),
            Self::Gemini(listener) => listener.bytes(),
            Self::Responses(listener) => listener.bytes(),
        }
    }

    /// What is being said: the number of the piece, and its text so far.
    pub(crate) fn saying(&self) -> Option<(usize, &str)> {
        match self {
            Self::OpenAi(listener) => listener.saying(),
            Self::Anthropic(listener) => listener.saying(),
            Self::Gemini(listener) => listener.saying(),
            Self::Responses(listener) => listener.saying(),
        }
    }

    /// Whether the dialect's end was heard: nothing that counts comes after it.
    pub(crate) fn is_over(&self) -> bool {
        match self {
            Self::OpenAi(listener) => listener.is_over(),
            Self::Anthropic(listener) => listener.is_over(),
            // Usage may follow the reason, and only the connection's end says that nothing does.
            Self::Gemini(_) => false,
            Self::Responses(listener) => listener.is_over(),
        }
    }

    /// The answer, if the stream came to its end.
    pub(crate) fn finish(self) -> Result<Answer, Trouble> {
        let answer = match self {
            Self::OpenAi(listener) => listener.finish(),
            Self::Anthropic(listener) => listener.finish(),
            Self::Gemini(listener) => listener.finish(),
            Self::Responses(listener) => listener.finish(),
        };
        answer.ok_or_else(|| Trouble::passing("the stream ended before the answer was complete"))
    }
}

fn parse(data: &str) -> Result<Value, Trouble> {
    serde_json::from_str(data).map_err(|error| malformed(error.to_string()))
}

fn malformed(why: impl std::fmt::Display) -> Trouble {
    Trouble::passing(format!("the stream is malformed: {why}"))
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The last piece, where it is text.
fn last_text(parts: &[Part]) -> Option<(usize, &str)> {
    match parts.last() {
        Some(Part::Text { text }) => Some((parts.len(), text)),
        _ => None,
    }
}

fn count(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}

/// Adds text to the last piece if that is of the same kind, else as a new piece.
fn add_text(parts: &mut Vec<Part>, more: &str) -> Result<(), Trouble> {
    match parts.last_mut() {
        _ if more.is_empty() => Ok(()),
        Some(Part::Text { text }) => {
            text.push_str(more);
            Ok(())
        }
        _ => add_part(parts, Part::text(more)),
    }
}

/// Adds unsigned reasoning, likewise.
fn add_reasoning(parts: &mut Vec<Part>, more: &str) -> Result<(), Trouble> {
    match parts.last_mut() {
        _ if more.is_empty() => Ok(()),
        Some(Part::Reasoning { text, signature: None }) => {
            text.push_str(more);
            Ok(())
        }
        _ => add_part(parts, Part::Reasoning { text: more.to_owned(), signature: None }),
    }
}

fn add_part(parts: &mut Vec<Part>, part: Part) -> Result<(), Trouble> {
    if parts.len() >= PARTS_MAX {
        return Err(malformed(format!("more than {PARTS_MAX} parts")));
    }
    parts.push(part);
    Ok(())
}

/// A tool call as far as it was heard.
#[derive(Clone, Debug, Default)]
struct CallDraft {
    index: u64,
    id: String,
    tool: String,
    arguments: String,
}

fn call_bytes(calls: &[CallDraft]) -> usize {
    calls.iter().map(|call| call.tool.len() + call.arguments.len()).sum()
}

/// The calls with ids that are valid and differ, whatever the provider sent.
fn finish_calls(drafts: Vec<CallDraft>) -> Vec<ToolCall> {
    let mut calls: Vec<ToolCall> = Vec::new();
    for (index, draft) in drafts.into_iter().enumerate() {
        let free = |id: &CallId| calls.iter().all(|call| call.id() != id);
        let id = CallId::new(draft.id).ok().filter(free);
        let id = id.or_else(|| (index..).map(stand_in_id).find(free)).unwrap_or_else(|| stand_in_id(index));
        calls.push(ToolCall::new(id, draft.tool, draft.arguments));
    }
    calls
}

fn stand_in_id(index: usize) -> CallId {
    CallId::new(format!("call_{index}")).expect("a short word is an identifier")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_ids_are_made_valid_and_different() {
        let draft = |id: &str| CallDraft { id: id.to_owned(), ..CallDraft::default() };
        let calls =
            finish_calls(vec![draft("call_1"), draft("call_1"), draft(""), draft("a\nb"), draft(&"x".repeat(999))]);
        let ids: Vec<_> = calls.iter().map(|call| call.id().as_str()).collect();
        assert_eq!(ids, ["call_1", "call_2", "call_3", "call_4", "call_5"]);
    }

    /// Streams of arbitrary frames end in an answer or in trouble, never in a panic or in memory.
    #[test]
    fn arbitrary_frames_do_no_harm() {
        let values =
            ["null", "1e999", "-1", "18446744073709551615", "\"\"", "[]", "{}", "[[]]", "{\"a\":null}", "true"];
        let shapes = [
            r#"{"choices":@}"#,
            r#"{"choices":[{"delta":@}]}"#,
            r#"{"choices":[{"delta":{"content":@,"reasoning":@,"reasoning_details":@,"tool_calls":@}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_details":[@,{"type":@,"text":@,"index":@}],"tool_calls":[@,{"index":@,"id":@,"function":@}]},"finish_reason":@}],"usage":@}"#,
            r#"{"usage":{"prompt_tokens":@,"completion_tokens":@,"prompt_tokens_details":{"cached_tokens":@}},"choices":[]}"#,
            r#"{"type":"message_start","message":@}"#,
            r#"{"type":"message_start","message":{"usage":{"input_tokens":@,"output_tokens":@}}}"#,
            r#"{"type":"content_block_start","index":@,"content_block":@}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":@,"input":@}}"#,
            r#"{"type":"content_block_delta","index":@,"delta":@}"#,
            r#"{"type":"message_delta","delta":@,"usage":@}"#,
            r#"{"candidates":@,"usageMetadata":@}"#,
            r#"{"candidates":[{"content":{"parts":[@,{"text":@,"thoughtSignature":@},{"functionCall":@}]},"finishReason":@}]}"#,
            r#"{"usageMetadata":{"promptTokenCount":@,"candidatesTokenCount":@,"thoughtsTokenCount":@}}"#,
            r#"{"type":"response.output_item.done","item":@}"#,
            r#"{"type":"response.output_item.done","item":{"type":"reasoning","summary":[@]}}"#,
            r#"{"type":"response.output_item.done","item":{"type":"message","content":[@,{"text":@}]}}"#,
            r#"{"type":"response.completed","response":{"usage":{"input_tokens":@,"output_tokens":@}}}"#,
            r#"{"type":"response.failed","response":{"error":@}}"#,
            r#"{"error":@}"#,
            r#"{"error":{"code":@,"message":@,"type":@}}"#,
        ];
        for (provider, model) in
            Provider::ALL.map(|provider| (provider, "m")).into_iter().chain([(Provider::OpenAi, "codex")])
        {
            let mut listener = Listener::new(provider, model);
            for shape in shapes {
                for value in values {
                    if listener.hear(&shape.replace('@', value)).is_err() {
                        listener = Listener::new(provider, model);
                    }
                }
            }
            let _ = listener.finish();
        }
    }
}
