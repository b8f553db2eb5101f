//! `OpenAI`'s responses, the only interface of some of its models.
//!
//! Format: <https://platform.openai.com/docs/api-reference/responses/create>. Nothing is kept at the provider (`store` is off), so reasoning comes
//! encrypted and goes back as it was. There is no seed.

use super::{Asked, Tool, arguments, is_text_only, plain_text, put, tools, user_reasoning, user_text};
use crate::trouble::Trouble;
use assay_trace::{Message, Part, Role};
use serde_json::{Value, json};

pub(super) fn body(asked: &Asked<'_>) -> Result<Value, Trouble> {
    let mut input = Vec::new();
    for message in &asked.request.messages {
        say(message, &mut input)?;
    }
    let mut body = json!({
        "model": asked.model,
        "stream": true,
        "store": false,
        "include": ["reasoning.encrypted_content"],
        "input": input,
    });
    let effort = asked.reasoning.and_then(super::Reasoning::word);
    put(&mut body, "reasoning", effort.map(|effort| json!({"effort": effort, "summary": "auto"})));
    put(&mut body, "tools", tools(asked.request, tool)?);
    put(&mut body, "temperature", asked.request.temperature);
    put(&mut body, "max_output_tokens", asked.request.output_tokens_max);
    Ok(body)
}

fn tool(tool: &Tool<'_>) -> Value {
    let mut said = json!({"type": "function", "name": tool.name, "parameters": tool.schema, "strict": tool.strict});
    put(&mut said, "description", tool.description);
    said
}

fn say(message: &Message, input: &mut Vec<Value>) -> Result<(), Trouble> {
    match message.role() {
        Role::System => input.push(json!({"role": "system", "content": plain_text(message)?})),
        Role::User if message.parts().is_empty() => {}
        Role::User if is_text_only(message) => input.push(json!({"role": "user", "content": user_text(message)})),
        Role::User => {
            let parts = message.parts().iter().map(|part| match part {
                Part::Text { text } => Ok(json!({"type": "input_text", "text": text})),
                Part::Image { media_type, source } => {
                    Ok(json!({"type": "input_image", "image_url": source.to_url(*media_type)}))
                }
                Part::Reasoning { .. } | Part::RedactedReasoning { .. } => Err(user_reasoning()),
            });
            input.push(json!({"role": "user", "content": parts.collect::<Result<Vec<_>, _>>()?}));
        }
        Role::Assistant => assistant(message, input),
        Role::Tool => {
            let call = message.answers().map(ToString::to_string).unwrap_or_default();
            input.push(json!({"type": "function_call_output", "call_id": call, "output": plain_text(message)?}));
        }
    }
    Ok(())
}

fn assistant(message: &Message, input: &mut Vec<Value>) {
    for part in message.parts() {
        match part {
            Part::Text { text } => input.push(json!({"role": "assistant", "content": text})),
            Part::Reasoning { signature: Some(item), .. } | Part::RedactedReasoning { data: item } => {
                // Reasoning of another provider is no item.
                input.extend(serde_json::from_str::<Value>(item).ok().filter(|item| item["type"] == "reasoning"));
            }
            Part::Image { .. } | Part::Reasoning { .. } => {}
        }
    }
    input.extend(message.tool_calls().iter().map(|call| {
        let arguments = arguments(call).to_string();
        json!({"type": "function_call", "call_id": call.id(), "name": call.tool(), "arguments": arguments})
    }));
}
