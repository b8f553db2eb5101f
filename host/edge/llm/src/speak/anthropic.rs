//! Anthropic's messages.
//!
//! Format: <https://docs.anthropic.com/en/api/messages>, <https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking>: all thinking stands
//! before the text and the calls, and goes back signed. The end of each request is marked for the provider's cache, because each step of an
//! episode repeats all before it.

use super::claude::Claude;
use super::{Asked, Tool, arguments, is_text_only, plain_text, put, tools, user_reasoning, user_text};
use crate::trouble::Trouble;
use assay_trace::{ImageSource, Message, Part, Role};
use serde_json::{Value, json};

pub(super) fn body(asked: &Asked<'_>) -> Result<Value, Trouble> {
    let (mut systems, mut messages) = (Vec::new(), Vec::<Value>::new());
    let mut last = None;
    for message in &asked.request.messages {
        let role = message.role();
        let said = match role {
            Role::System => {
                systems.push(plain_text(message)?);
                None
            }
            Role::User => user(message)?,
            Role::Assistant => assistant(message),
            Role::Tool => {
                let call = message.answers().map(ToString::to_string).unwrap_or_default();
                let result = json!({"type": "tool_result", "tool_use_id": call, "content": plain_text(message)?});
                // The answers to one message's calls belong together.
                let open = messages.last_mut().filter(|_| last == Some(Role::Tool));
                match open.and_then(|last| last["content"].as_array_mut()) {
                    Some(results) => {
                        results.push(result);
                        continue;
                    }
                    None => Some(json!({"role": "user", "content": [result]})),
                }
            }
        };
        if let Some(said) = said {
            messages.push(said);
            last = Some(role);
        }
    }
    if let Some(last) = messages.last_mut() {
        mark(last);
    }
    let claude = Claude::of(asked.model);
    let most = asked.request.output_tokens_max.unwrap_or_else(|| claude.output_tokens_max());
    let mut body = json!({"model": asked.model, "stream": true, "max_tokens": most, "messages": messages});
    put(&mut body, "system", (!systems.is_empty()).then(|| systems.join("\n\n")));
    put(&mut body, "tools", tools(asked.request, tool)?);
    put(&mut body, "temperature", asked.request.temperature);
    let thinking = asked.reasoning.map(|reasoning| claude.thinking(reasoning)).unwrap_or_default();
    put(&mut body, "thinking", thinking.thinking);
    put(&mut body, "output_config", thinking.effort.map(|effort| json!({ "effort": effort })));
    Ok(body)
}

fn tool(tool: &Tool<'_>) -> Value {
    let mut said = json!({"name": tool.name, "input_schema": tool.schema});
    put(&mut said, "description", tool.description);
    said
}

/// Marks the end of what the provider keeps in its cache.
fn mark(message: &mut Value) {
    if let Some(text) = message["content"].as_str() {
        message["content"] = json!([{"type": "text", "text": text}]);
    }
    if let Some(Value::Object(last)) = message["content"].as_array_mut().and_then(|blocks| blocks.last_mut()) {
        last.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
}

fn user(message: &Message) -> Result<Option<Value>, Trouble> {
    if message.parts().is_empty() {
        return Ok(None);
    }
    if is_text_only(message) {
        return Ok(Some(json!({"role": "user", "content": user_text(message)})));
    }
    let blocks = message.parts().iter().map(|part| match part {
        Part::Text { text } => Ok(json!({"type": "text", "text": text})),
        Part::Image { media_type, source: ImageSource::Data(data) } => {
            let source = json!({"type": "base64", "media_type": media_type.name(), "data": data.as_str()});
            Ok(json!({"type": "image", "source": source}))
        }
        Part::Image { source: ImageSource::Url(url), .. } => {
            Ok(json!({"type": "image", "source": {"type": "url", "url": url}}))
        }
        Part::Reasoning { .. } | Part::RedactedReasoning { .. } => Err(user_reasoning()),
    });
    Ok(Some(json!({"role": "user", "content": blocks.collect::<Result<Vec<_>, _>>()?})))
}

fn assistant(message: &Message) -> Option<Value> {
    let (mut thoughts, mut rest) = (Vec::new(), Vec::new());
    for part in message.parts() {
        match part {
            Part::Reasoning { text, signature: Some(signature) } => {
                thoughts.push(json!({"type": "thinking", "thinking": text, "signature": signature}));
            }
            Part::RedactedReasoning { data } => thoughts.push(json!({"type": "redacted_thinking", "data": data})),
            // Text that is only white space is refused.
            Part::Text { text } if !text.trim().is_empty() => rest.push(json!({"type": "text", "text": text})),
            Part::Text { .. } | Part::Image { .. } | Part::Reasoning { .. } => {}
        }
    }
    let calls = message.tool_calls().iter();
    rest.extend(
        calls.map(|call| json!({"type": "tool_use", "id": call.id(), "name": call.tool(), "input": arguments(call)})),
    );
    thoughts.append(&mut rest);
    match thoughts.as_slice() {
        [] => None,
        [only] if only["type"] == "text" => Some(json!({"role": "assistant", "content": only["text"]})),
        blocks => Some(json!({"role": "assistant", "content": blocks})),
    }
}
