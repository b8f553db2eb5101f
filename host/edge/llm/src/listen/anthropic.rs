//! Anthropic's message events.
//!
//! Format: <https://docs.anthropic.com/en/docs/build-with-claude/streaming>. Usage: `input_tokens` excludes what was read from and
//! written to the cache; `output_tokens` is cumulative and holds the thinking.

use super::{Answer, CallDraft, PARTS_MAX, TOOL_CALLS_MAX, count, finish_calls, malformed, parse, text};
use crate::spec::Provider;
use crate::trouble::{Trouble, from_event};
use assay_trace::{Part, Usage};
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(crate) struct Listener {
    blocks: BTreeMap<u64, Block>,
    usage: Option<Usage>,
    stop_reason: Option<String>,
    is_done: bool,
}

#[derive(Debug)]
enum Block {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    Redacted(String),
    ToolUse {
        call: CallDraft,
        input: Value,
    },
    /// A kind that is not ours to keep.
    Other,
}

impl Listener {
    pub(super) fn hear(&mut self, data: &str) -> Result<(), Trouble> {
        let frame = parse(data)?;
        match text(&frame, "type") {
            "message_start" => self.add_usage(frame.pointer("/message/usage")),
            "content_block_start" => return self.start(&frame),
            "content_block_delta" => return self.extend(&frame),
            "message_delta" => {
                self.add_usage(frame.get("usage"));
                if let Some(reason) = frame.pointer("/delta/stop_reason").and_then(Value::as_str) {
                    self.stop_reason = Some(reason.to_owned());
                }
            }
            "message_stop" => self.is_done = true,
            "error" => return Err(from_event(Provider::Anthropic, &frame)),
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, frame: &Value) -> Result<(), Trouble> {
        let index = count(frame, "/index").ok_or_else(|| malformed("a block without index"))?;
        let block = frame.get("content_block").unwrap_or(&Value::Null);
        let is_call = |block: &Block| matches!(block, Block::ToolUse { .. });
        let block = match text(block, "type") {
            "text" => Block::Text(text(block, "text").to_owned()),
            "thinking" => Block::Thinking {
                text: text(block, "thinking").to_owned(),
                signature: text(block, "signature").to_owned(),
            },
            "redacted_thinking" => Block::Redacted(text(block, "data").to_owned()),
            "tool_use" => Block::ToolUse {
                call: CallDraft {
                    index,
                    id: text(block, "id").to_owned(),
                    tool: text(block, "name").to_owned(),
                    arguments: String::new(),
                },
                input: block.get("input").cloned().unwrap_or_default(),
            },
            _ => Block::Other,
        };
        if self.blocks.insert(index, block).is_some() {
            return Err(malformed("two blocks of one index"));
        }
        if self.blocks.len() > PARTS_MAX || self.blocks.values().filter(|block| is_call(block)).count() > TOOL_CALLS_MAX
        {
            return Err(malformed(format!("more than {PARTS_MAX} blocks or {TOOL_CALLS_MAX} tool calls")));
        }
        Ok(())
    }

    fn extend(&mut self, frame: &Value) -> Result<(), Trouble> {
        let index = count(frame, "/index").unwrap_or(u64::MAX);
        let block = self.blocks.get_mut(&index).ok_or_else(|| malformed("more of a block that never began"))?;
        let delta = frame.get("delta").unwrap_or(&Value::Null);
        match block {
            Block::Text(so_far) => so_far.push_str(text(delta, "text")),
            Block::Thinking { text: so_far, signature } => {
                so_far.push_str(text(delta, "thinking"));
                signature.push_str(text(delta, "signature"));
            }
            Block::ToolUse { call, .. } => call.arguments.push_str(text(delta, "partial_json")),
            Block::Redacted(_) | Block::Other => {}
        }
        Ok(())
    }

    /// Later figures replace earlier ones; what a later report leaves out stays.
    fn add_usage(&mut self, value: Option<&Value>) {
        let Some(value) = value.filter(|value| value.is_object()) else { return };
        let known = self.usage.unwrap_or_default();
        let output = count(value, "/output_tokens").unwrap_or(known.output);
        self.usage = Some(Usage {
            input: count(value, "/input_tokens").unwrap_or(known.input),
            output,
            cache_read: count(value, "/cache_read_input_tokens").unwrap_or(known.cache_read),
            cache_write: count(value, "/cache_creation_input_tokens").unwrap_or(known.cache_write),
            reasoning: count(value, "/output_tokens_details/thinking_tokens").unwrap_or(known.reasoning).min(output),
        });
    }

    pub(super) fn bytes(&self) -> usize {
        let bytes = self.blocks.values().map(|block| match block {
            Block::Text(text) | Block::Redacted(text) => text.len(),
            Block::Thinking { text, signature } => text.len() + signature.len(),
            Block::ToolUse { call, .. } => call.tool.len() + call.arguments.len(),
            Block::Other => 0,
        });
        bytes.sum()
    }

    pub(super) fn saying(&self) -> Option<(usize, &str)> {
        match self.blocks.last_key_value() {
            Some((index, Block::Text(text))) => Some((usize::try_from(*index).unwrap_or(usize::MAX), text)),
            _ => None,
        }
    }

    pub(super) const fn is_over(&self) -> bool {
        self.is_done
    }

    pub(super) fn finish(self) -> Option<Answer> {
        if !self.is_done {
            return None;
        }
        let (mut parts, mut calls) = (Vec::new(), Vec::new());
        for block in self.blocks.into_values() {
            match block {
                Block::Text(text) if text.is_empty() => {}
                Block::Text(text) => parts.push(Part::Text { text }),
                Block::Thinking { text, signature } => {
                    let signature = Some(signature).filter(|signature| !signature.is_empty());
                    parts.push(Part::Reasoning { text, signature });
                }
                Block::Redacted(data) => parts.push(Part::RedactedReasoning { data }),
                Block::ToolUse { mut call, input } => {
                    if call.arguments.is_empty() && input.as_object().is_some_and(|input| !input.is_empty()) {
                        call.arguments = input.to_string();
                    }
                    calls.push(call);
                }
                Block::Other => {}
            }
        }
        Some(Answer {
            parts,
            tool_calls: finish_calls(calls),
            usage: self.usage,
            cost_microdollars: None,
            stop_reason: self.stop_reason,
        })
    }
}
