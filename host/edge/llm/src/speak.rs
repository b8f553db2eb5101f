//! A conversation in the client library's words, so that it comes out right in each dialect.
//!
//! Invariants: signed and redacted reasoning goes back to the provider it came from unchanged and in its order, and is left out where the
//! dialect has no place for it; nothing else is left out silently, what a dialect cannot say is refused.
//!
//! Arguments that are no JSON object cannot be said in any dialect but `OpenAI`'s, and there they break servers that parse them: they go back as
//! an object whose one field, [`BROKEN_ARGUMENTS`], holds what the model wrote.

use crate::listen::DETAIL_TEXTS;
use crate::spec::Provider;
use crate::trouble::Trouble;
use assay_rollout::ports::ModelRequest;
use assay_trace::{ImageSource, Message, Part, Role};
use genai::chat::{
    Binary, CacheControl, ChatMessage, ChatOptions, ChatRequest, ContentPart, CustomPart, MessageContent,
    ReasoningEffort, Tool, ToolCall, ToolName, ToolResponse,
};
use serde_json::{Value, json};

/// The field that holds arguments which are no JSON object.
pub const BROKEN_ARGUMENTS: &str = "unparsed_arguments";

/// How much a model thinks before it answers; its provider's own choice where none is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reasoning {
    /// As little as the model can.
    Off,
    /// A little.
    Low,
    /// More.
    Medium,
    /// Much.
    High,
    /// At most this many tokens. `OpenAI`'s dialect has no word for it.
    Tokens(u32),
}

impl Reasoning {
    /// Reads `off`, `low`, `medium`, `high` or a number of tokens.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Self::Off),
            "low" => Some(Self::Low),
            "medium" => Some(Self::Medium),
            "high" => Some(Self::High),
            tokens => tokens.parse().ok().map(Self::Tokens),
        }
    }
}

/// The messages and tools.
pub(crate) fn conversation(provider: Provider, request: &ModelRequest) -> Result<ChatRequest, Trouble> {
    let mut messages: Vec<ChatMessage> = Vec::new();
    for message in &request.messages {
        let said = match message.role() {
            Role::System => ChatMessage::system(plain_text(message)?),
            Role::User => ChatMessage::user(user_content(provider, message)?),
            Role::Assistant => ChatMessage::assistant(assistant_content(provider, message)),
            Role::Tool => ChatMessage::tool(tool_content(message)?),
        };
        if said.content.is_empty() {
            // A model may answer nothing, but no provider takes an empty message back.
            continue;
        }
        match messages.last_mut() {
            // The answers to one message's calls belong together.
            Some(last) if message.role() == Role::Tool && last.role == said.role => last.content.extend(said.content),
            _ => messages.push(said),
        }
    }
    if provider == Provider::Anthropic {
        // Each step of an episode repeats all before it, so it is kept in the provider's cache up to here.
        if let Some(last) = messages.pop() {
            messages.push(last.with_options(CacheControl::Ephemeral));
        }
    }
    let mut said = ChatRequest::new(messages);
    if !request.tools.is_empty() {
        said.tools = Some(request.tools.iter().map(tool).collect::<Result<_, _>>()?);
    }
    Ok(said)
}

/// Everything but the conversation.
pub(crate) fn options(
    provider: Provider,
    model: &str,
    reasoning: Option<Reasoning>,
    request: &ModelRequest,
) -> ChatOptions {
    let mut options = ChatOptions {
        temperature: request.temperature,
        max_tokens: request.output_tokens_max,
        seed: request.seed,
        reasoning_effort: reasoning.map(effort),
        ..ChatOptions::default()
    };
    match provider {
        Provider::OpenAi | Provider::OpenAiCompatible | Provider::OpenRouter => {
            // Asks for the usage at the stream's end.
            options.capture_usage = Some(true);
            // Without an effort, the library takes one from names such as `qwen-max`; a budget says nothing in this dialect.
            options.reasoning_effort.get_or_insert(ReasoningEffort::Budget(0));
            // Without an intent, the library switches caching off for newer models; this one adds no field.
            options.cache_control = Some(CacheControl::Ephemeral5m);
        }
        Provider::Anthropic | Provider::Gemini => {
            // Asks for readable thoughts, which models that do not think refuse.
            options.capture_reasoning_content = Some(matches!(reasoning, Some(how) if how != Reasoning::Off));
        }
    }
    if provider == Provider::Anthropic {
        // The library tidies names; the user's is the right one.
        options.extra_body = Some(json!({ "model": model }));
    }
    options
}

const fn effort(reasoning: Reasoning) -> ReasoningEffort {
    match reasoning {
        Reasoning::Off => ReasoningEffort::Zero,
        Reasoning::Low => ReasoningEffort::Low,
        Reasoning::Medium => ReasoningEffort::Medium,
        Reasoning::High => ReasoningEffort::High,
        Reasoning::Tokens(tokens) => ReasoningEffort::Budget(tokens),
    }
}

fn plain_text(message: &Message) -> Result<String, Trouble> {
    let is_image = |part: &Part| matches!(part, Part::Image { .. });
    if message.parts().iter().any(is_image) {
        return Err(Trouble::refused(format!("a {} message must not hold images", message.role().name()), None));
    }
    Ok(message.text())
}

fn user_content(provider: Provider, message: &Message) -> Result<MessageContent, Trouble> {
    let parts = message.parts().iter().map(|part| match part {
        Part::Text { text } => Ok(ContentPart::Text(text.clone())),
        Part::Image { media_type, source: ImageSource::Data(base64) } => {
            Ok(ContentPart::Binary(Binary::from_base64(media_type.name(), base64.as_str(), None)))
        }
        Part::Image { source: ImageSource::Url(url), .. } if provider == Provider::Anthropic => {
            // The library leaves addresses out in this dialect.
            Ok(custom(json!({"type": "image", "source": {"type": "url", "url": url}})))
        }
        Part::Image { media_type, source: ImageSource::Url(url) } => {
            Ok(ContentPart::Binary(Binary::from_url(media_type.name(), url.as_str(), None)))
        }
        Part::Reasoning { .. } | Part::RedactedReasoning { .. } => {
            Err(Trouble::refused("a user message must not hold reasoning", None))
        }
    });
    parts.collect::<Result<Vec<_>, _>>().map(MessageContent::from_parts)
}

fn tool_content(message: &Message) -> Result<MessageContent, Trouble> {
    let call = message.answers().map(ToString::to_string).unwrap_or_default();
    Ok(MessageContent::from_parts(vec![ContentPart::ToolResponse(ToolResponse::new(call, plain_text(message)?))]))
}

fn assistant_content(provider: Provider, message: &Message) -> MessageContent {
    let mut calls: Vec<ToolCall> = message.tool_calls().iter().map(call).collect();
    let mut parts: Vec<ContentPart> = Vec::new();
    for part in message.parts() {
        match (provider, part) {
            // Anthropic refuses text that is only white space.
            (Provider::Anthropic, Part::Text { text }) if text.trim().is_empty() => {}
            (_, Part::Text { text }) => parts.push(ContentPart::Text(text.clone())),
            (Provider::Anthropic, Part::Reasoning { text, signature: Some(signature) }) => {
                parts.push(ContentPart::ThoughtSignature(signature.clone()));
                parts.push(ContentPart::ReasoningContent(text.clone()));
            }
            (Provider::Anthropic, Part::RedactedReasoning { data }) => {
                parts.push(custom(json!({"type": "redacted_thinking", "data": data})));
            }
            (Provider::Gemini, Part::Reasoning { text, signature: Some(signature) }) if text.is_empty() => {
                parts.push(ContentPart::ThoughtSignature(signature.clone()));
            }
            (Provider::OpenRouter, Part::Reasoning { text, signature: Some(rest) }) => {
                parts.extend(detail(rest, Some(text)).map(custom));
            }
            (Provider::OpenRouter, Part::RedactedReasoning { data }) => parts.extend(detail(data, None).map(custom)),
            (Provider::OpenAiCompatible | Provider::OpenRouter, Part::Reasoning { text, signature: None }) => {
                parts.push(ContentPart::ReasoningContent(text.clone()));
            }
            // Also images: models answer with text, and no dialect takes a picture back as theirs.
            (_, Part::Image { .. } | Part::Reasoning { .. } | Part::RedactedReasoning { .. }) => {}
        }
    }
    if provider == Provider::Gemini {
        sign_calls(&mut parts, &mut calls);
    }
    parts.extend(calls.into_iter().map(ContentPart::ToolCall));
    MessageContent::from_parts(parts)
}

/// Signatures at the end of the parts belong to the calls, in order; one too many stood on an empty text.
fn sign_calls(parts: &mut Vec<ContentPart>, calls: &mut [ToolCall]) {
    let is_signature = |part: &ContentPart| matches!(part, ContentPart::ThoughtSignature(_));
    let trailing = parts.iter().rev().take_while(|part| is_signature(part)).count();
    let mut signatures =
        parts.split_off(parts.len() - trailing).into_iter().filter_map(ContentPart::into_thought_signature);
    for (call, signature) in calls.iter_mut().zip(&mut signatures) {
        call.thought_signatures = Some(vec![signature]);
    }
    for signature in signatures {
        parts.push(ContentPart::ThoughtSignature(signature));
        parts.push(ContentPart::Text(String::new()));
    }
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

fn call(call: &assay_trace::ToolCall) -> ToolCall {
    let arguments = call.arguments().map(|arguments| Value::Object(arguments.clone()));
    ToolCall {
        call_id: call.id().to_string(),
        fn_name: call.tool().to_owned(),
        fn_arguments: arguments.unwrap_or_else(|| json!({ BROKEN_ARGUMENTS: call.arguments_raw() })),
        thought_signatures: None,
    }
}

fn custom(data: Value) -> ContentPart {
    ContentPart::Custom(CustomPart { model_iden: None, data })
}

/// A tool in the form of chat APIs, `{"type": "function", "function": {…}}`, or only the inside of it.
fn tool(value: &Value) -> Result<Tool, Trouble> {
    let function = value.get("function").unwrap_or(value);
    let Some(name) = function.get("name").and_then(Value::as_str) else {
        return Err(Trouble::refused("a tool has no name", None));
    };
    let mut tool = Tool::new(ToolName::Custom(name.to_owned()));
    tool.description = function.get("description").and_then(Value::as_str).map(str::to_owned);
    let schema = function.get("parameters").or_else(|| function.get("input_schema")).cloned();
    tool.schema = Some(schema.unwrap_or_else(|| json!({"type": "object", "properties": {}})));
    tool.strict = function.get("strict").and_then(Value::as_bool);
    Ok(tool)
}
