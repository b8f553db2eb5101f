//! Gemini's contents.
//!
//! Format: <https://ai.google.dev/api/generate-content>, <https://ai.google.dev/gemini-api/docs/thought-signatures>, <https://ai.google.dev/gemini-api/docs/thinking>.
//! Where a signature stands is described in `crate::listen`.

use super::{Asked, Reasoning, Tool, arguments, plain_text, put, tools, user_reasoning};
use crate::trouble::Trouble;
use assay_trace::{ImageSource, Message, Part, Role};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What stands in for the signature that the first call of a turn must carry, where there is none ("Thought signatures", FAQ).
const NO_SIGNATURE: &str = "skip_thought_signature_validator";
/// How names of models begin that take a level of thinking, not a budget.
const LEVELS: [&str; 2] = ["gemini-3", "gemma-4"];
/// Tokens of thinking for each level of the others.
const BUDGETS: [u32; 3] = [1_000, 8_000, 24_000];

pub(super) fn body(asked: &Asked<'_>) -> Result<Value, Trouble> {
    let (mut systems, mut contents) = (Vec::new(), Vec::<Value>::new());
    // The tool of each call so far: an answer names it.
    let mut tools_called = BTreeMap::new();
    let mut last = None;
    for message in &asked.request.messages {
        for call in message.tool_calls() {
            tools_called.insert(call.id().as_str(), call.tool());
        }
        let role = message.role();
        let (speaker, parts) = match role {
            Role::System => {
                systems.push(plain_text(message)?);
                continue;
            }
            Role::User => ("user", user(message)?),
            Role::Assistant => ("model", assistant(asked.model, message)),
            Role::Tool => {
                let id = message.answers().map(|call| call.as_str()).unwrap_or_default();
                ("user", vec![answer(id, tools_called.get(id).copied(), &plain_text(message)?)])
            }
        };
        if parts.is_empty() {
            continue;
        }
        // The answers to one message's calls belong together.
        let open = contents.last_mut().filter(|_| role == Role::Tool && last == Some(Role::Tool));
        match open.and_then(|last| last["parts"].as_array_mut()) {
            Some(answers) => answers.extend(parts),
            None => contents.push(json!({"role": speaker, "parts": parts})),
        }
        last = Some(role);
    }
    let mut body = json!({ "contents": contents });
    let system = (!systems.is_empty()).then(|| json!({"parts": [{"text": systems.join("\n")}]}));
    put(&mut body, "systemInstruction", system);
    let declared = tools(asked.request, tool)?.map(|tools| json!([{ "functionDeclarations": tools }]));
    put(&mut body, "tools", declared);
    put(&mut body, "generationConfig", Some(config(asked)).filter(|config| config != &json!({})));
    Ok(body)
}

fn config(asked: &Asked<'_>) -> Value {
    let mut config = json!({});
    put(&mut config, "temperature", asked.request.temperature);
    put(&mut config, "maxOutputTokens", asked.request.output_tokens_max);
    put(&mut config, "seed", asked.request.seed);
    let takes_levels = LEVELS.iter().any(|name| asked.model.contains(name));
    let (level, budget) = match asked.reasoning {
        // There is no word for it that every model takes.
        None | Some(Reasoning::Off) => return config,
        Some(Reasoning::Low) => (Some("LOW"), BUDGETS[0]),
        Some(Reasoning::Medium) => (Some("MEDIUM"), BUDGETS[1]),
        Some(Reasoning::High) => (Some("HIGH"), BUDGETS[2]),
        Some(Reasoning::Tokens(tokens)) => (None, tokens),
    };
    // Models that do not think refuse to show thoughts.
    let mut thinking = json!({"includeThoughts": true});
    if takes_levels {
        put(&mut thinking, "thinkingLevel", level);
    } else {
        put(&mut thinking, "thinkingBudget", Some(budget));
    }
    put(&mut config, "thinkingConfig", Some(thinking));
    config
}

fn tool(tool: &Tool<'_>) -> Value {
    let mut said = json!({"name": tool.name, "parametersJsonSchema": tool.schema});
    put(&mut said, "description", tool.description);
    said
}

fn user(message: &Message) -> Result<Vec<Value>, Trouble> {
    let parts = message.parts().iter().map(|part| match part {
        Part::Text { text } => Ok(json!({"text": text})),
        Part::Image { media_type, source: ImageSource::Data(data) } => {
            Ok(json!({"inline_data": {"mime_type": media_type.name(), "data": data.as_str()}}))
        }
        Part::Image { media_type, source: ImageSource::Url(url) } => {
            Ok(json!({"file_data": {"mime_type": media_type.name(), "file_uri": url}}))
        }
        Part::Reasoning { .. } | Part::RedactedReasoning { .. } => Err(user_reasoning()),
    });
    parts.collect()
}

/// Signatures at the end of the parts belong to the calls, in order; one too many stood on an empty text. The others belong to the text after them.
fn assistant(model: &str, message: &Message) -> Vec<Value> {
    let (mut said, mut waiting) = (Vec::new(), Vec::new());
    let signed = |mut part: Value, signature: Option<&String>| {
        put(&mut part, "thoughtSignature", signature.cloned());
        part
    };
    for part in message.parts() {
        match part {
            Part::Text { text } => {
                said.push(signed(json!({ "text": text }), waiting.last()));
                waiting.clear();
            }
            Part::Reasoning { text, signature: Some(signature) } if text.is_empty() => waiting.push(signature.clone()),
            Part::Image { .. } | Part::Reasoning { .. } | Part::RedactedReasoning { .. } => {}
        }
    }
    let calls = message.tool_calls();
    for signature in waiting.iter().skip(calls.len()) {
        said.push(signed(json!({"text": ""}), Some(signature)));
    }
    let placeholder = NO_SIGNATURE.to_owned();
    for (index, call) in calls.iter().enumerate() {
        let mut function =
            Map::from_iter([("name".to_owned(), call.tool().into()), ("args".to_owned(), arguments(call))]);
        if let Some(id) = own_id(call.id().as_str()) {
            function.insert("id".to_owned(), id.into());
        }
        let needed = (index == 0 && model.contains(LEVELS[0])).then_some(&placeholder);
        said.push(signed(json!({ "functionCall": function }), waiting.get(index).or(needed)));
    }
    said
}

fn answer(id: &str, tool: Option<&str>, text: &str) -> Value {
    let stand_in = id.strip_prefix("call#").and_then(|rest| rest.rsplit_once('#')).map(|(tool, _)| tool);
    let name = tool.or(stand_in).unwrap_or(id);
    let mut response = json!({"name": name, "response": {"name": name, "content": text}});
    put(&mut response, "id", tool.and_then(|_| own_id(id)));
    json!({ "functionResponse": response })
}

/// The id that the provider gave; none where `crate::listen` made one up, `call#TOOL#NUMBER`.
fn own_id(id: &str) -> Option<&str> {
    let made_up = id.strip_prefix("call#").and_then(|rest| rest.rsplit_once('#'));
    let is_made_up = made_up.is_some_and(|(tool, number)| !tool.is_empty() && number.parse::<usize>().is_ok());
    (!id.is_empty() && !is_made_up).then_some(id)
}
