//! `OpenAI`'s chat completions, and what compatible servers and `OpenRouter` add to them.
//!
//! Format: <https://platform.openai.com/docs/api-reference/chat/create>, <https://openrouter.ai/docs/use-cases/reasoning-tokens>.

use super::{Asked, Tool, arguments, is_text_only, plain_text, put, tools, user_reasoning, user_text};
use crate::listen::DETAIL_TEXTS;
use crate::spec::Provider;
use crate::trouble::Trouble;
use assay_trace::{Message, Part, Role};
use serde_json::{Value, json};

/// How names of models begin that take `max_completion_tokens` instead of `max_tokens`.
const COMPLETION_TOKENS: [&str; 5] = ["gpt-5", "gpt-6", "o1", "o3", "o4"];

pub(super) fn body(asked: &Asked<'_>) -> Result<Value, Trouble> {
    let mut messages = Vec::new();
    for message in &asked.request.messages {
        messages.extend(said(asked.provider, message)?);
    }
    let mut body = json!({
        "model": asked.model,
        "stream": true,
        // Asks for the usage at the stream's end.
        "stream_options": {"include_usage": true},
        "messages": messages,
    });
    let needs_other_name = COMPLETION_TOKENS.iter().any(|start| asked.model.starts_with(start));
    let most = if needs_other_name { "max_completion_tokens" } else { "max_tokens" };
    put(&mut body, "reasoning_effort", asked.reasoning.and_then(super::Reasoning::word));
    put(&mut body, "tools", tools(asked.request, tool)?);
    put(&mut body, "temperature", asked.request.temperature);
    put(&mut body, most, asked.request.output_tokens_max);
    put(&mut body, "seed", asked.request.seed);
    Ok(body)
}

fn tool(tool: &Tool<'_>) -> Value {
    let mut function = json!({"name": tool.name, "parameters": tool.schema, "strict": tool.strict});
    put(&mut function, "description", tool.description);
    json!({"type": "function", "function": function})
}

/// A message; none where it says nothing, because no provider takes an empty one back.
fn said(provider: Provider, message: &Message) -> Result<Option<Value>, Trouble> {
    Ok(match message.role() {
        Role::System => Some(json!({"role": "system", "content": plain_text(message)?})),
        Role::User if message.parts().is_empty() => None,
        Role::User if is_text_only(message) => Some(json!({"role": "user", "content": user_text(message)})),
        Role::User => {
            let parts = message.parts().iter().map(|part| match part {
                Part::Text { text } => Ok(json!({"type": "text", "text": text})),
                Part::Image { media_type, source } => {
                    Ok(json!({"type": "image_url", "image_url": {"url": source.to_url(*media_type)}}))
                }
                Part::Reasoning { .. } | Part::RedactedReasoning { .. } => Err(user_reasoning()),
            });
            Some(json!({"role": "user", "content": parts.collect::<Result<Vec<_>, _>>()?}))
        }
        Role::Assistant => assistant(provider, message),
        Role::Tool => {
            let call = message.answers().map(ToString::to_string).unwrap_or_default();
            Some(json!({"role": "tool", "tool_call_id": call, "content": plain_text(message)?}))
        }
    })
}

fn assistant(provider: Provider, message: &Message) -> Option<Value> {
    let (mut texts, mut thoughts, mut details) = (Vec::new(), Vec::new(), Vec::new());
    for part in message.parts() {
        match (provider, part) {
            (_, Part::Text { text }) => texts.push(text.as_str()),
            (Provider::OpenRouter, Part::Reasoning { text, signature: Some(rest) }) => {
                details.extend(detail(rest, Some(text)));
            }
            (Provider::OpenRouter, Part::RedactedReasoning { data }) => details.extend(detail(data, None)),
            (Provider::OpenAiCompatible | Provider::OpenRouter, Part::Reasoning { text, signature: None }) => {
                thoughts.push(text.as_str());
            }
            // Also images: models answer with text, and no dialect takes a picture back as theirs.
            (_, Part::Image { .. } | Part::Reasoning { .. } | Part::RedactedReasoning { .. }) => {}
        }
    }
    let calls = message.tool_calls().iter().map(|call| {
        let function = json!({"name": call.tool(), "arguments": arguments(call).to_string()});
        json!({"type": "function", "id": call.id(), "function": function})
    });
    let calls: Vec<Value> = calls.collect();
    if texts.is_empty() && thoughts.is_empty() && details.is_empty() && calls.is_empty() {
        return None;
    }
    let mut said = json!({"role": "assistant", "content": texts.join("\n\n")});
    put(&mut said, "tool_calls", (!calls.is_empty()).then_some(calls));
    put(&mut said, "reasoning_content", (!thoughts.is_empty()).then(|| thoughts.join("\n")));
    put(&mut said, "reasoning_details", (!details.is_empty()).then_some(details));
    Some(said)
}

/// A reasoning detail of `OpenRouter` as it was, if this is one.
fn detail(fields: &str, said: Option<&str>) -> Option<Value> {
    let mut detail: Value = serde_json::from_str(fields).ok()?;
    let kind = detail.get("type")?.as_str()?.strip_prefix("reasoning.")?.to_owned();
    if let Some(said) = said {
        let field = DETAIL_TEXTS.into_iter().find(|field| *field == kind).unwrap_or(DETAIL_TEXTS[0]);
        detail.as_object_mut()?.insert(field.to_owned(), said.into());
    }
    Some(detail)
}
