//! One message of somebody else's: whatever its dialect, what it says and what it asks of tools.
//!
//! Sources: the chat completions of `OpenAI` (`content`, `tool_calls[].function`), the messages of Anthropic (`tool_use`, `tool_result`, `thinking`),
//! Inspect's `ChatMessage`, our own records (`parts`, `arguments_raw`).

use crate::base64::Base64;
use crate::message::{ImageSource, MediaType, Meta, Part, Role};
use serde_json::{Map, Value};

/// What a message says.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) role: Role,
    pub(super) id: Option<String>,
    pub(super) parts: Vec<Part>,
    pub(super) calls: Vec<Call>,
    /// The call that it answers.
    pub(super) answers: Option<String>,
    /// Answers of tools that stand among its parts: the call and what was answered.
    pub(super) results: Vec<(Option<String>, Vec<Part>)>,
    pub(super) meta: Meta,
}

/// A call of a tool.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: Option<String>,
    pub(super) tool: String,
    pub(super) arguments_raw: String,
}

/// Reads a message; the error says why it is none.
pub(super) fn read(mut fields: Map<String, Value>) -> Result<Said, String> {
    let Some(Value::String(name)) = fields.remove("role") else {
        return Err("`role` is missing or not a text".to_owned());
    };
    let role = match name.as_str() {
        "system" | "developer" => Role::System,
        "user" | "human" => Role::User,
        "assistant" | "agent" | "ai" | "model" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => return Err(format!("the role {name:?} is none of system, developer, user, assistant and tool")),
    };
    let (parts, calls, results) = (Vec::new(), Vec::new(), Vec::new());
    let mut said = Said { role, id: None, parts, calls, answers: None, results, meta: Meta::new() };
    if name != role.name() {
        said.meta.insert("role".to_owned(), name.into());
    }
    said.id = take_text(&mut fields, "id");
    said.answers = take_text(&mut fields, "tool_call_id");
    said.reasoning(&mut fields);
    match fields.remove("content") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => said.text(text),
        Some(Value::Array(items)) => items.into_iter().for_each(|item| said.part(item)),
        Some(other) => drop(said.meta.insert("content".to_owned(), other)),
    }
    if let Some(parts) = fields.remove("parts") {
        match serde_json::from_value::<Vec<Part>>(parts.clone()) {
            Ok(parts) => said.parts.extend(parts),
            Err(_) => drop(said.meta.insert("parts".to_owned(), parts)),
        }
    }
    match fields.remove("tool_calls") {
        None | Some(Value::Null) => {}
        Some(Value::Array(calls)) => calls.into_iter().for_each(|call| said.call(call)),
        Some(other) => drop(said.meta.insert("tool_calls".to_owned(), other)),
    }
    if let Some(Value::Object(meta)) = fields.remove("meta") {
        said.meta.extend(meta);
    }
    said.meta.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    Ok(said)
}

/// A text, where there is one; anything else stays.
pub(super) fn take_text(fields: &mut Map<String, Value>, key: &str) -> Option<String> {
    match fields.remove(key)? {
        Value::String(text) => Some(text),
        Value::Null => None,
        other => {
            fields.insert(key.to_owned(), other);
            None
        }
    }
}

impl Said {
    fn text(&mut self, text: String) {
        if !text.is_empty() {
            self.parts.push(Part::text(text));
        }
    }

    /// Keeps what has no place, in a list of this name.
    fn keep(&mut self, name: &str, value: Value) {
        match self.meta.get_mut(name) {
            Some(Value::Array(kept)) => kept.push(value),
            _ => drop(self.meta.insert(name.to_owned(), Value::Array(vec![value]))),
        }
    }

    /// Reasoning beside the content: it came first.
    fn reasoning(&mut self, fields: &mut Map<String, Value>) {
        if self.role != Role::Assistant {
            return;
        }
        for key in ["reasoning_content", "reasoning"] {
            if let Some(text) = take_text(fields, key).filter(|text| !text.is_empty()) {
                self.parts.push(Part::Reasoning { text, signature: None });
            }
        }
    }

    /// A piece of content.
    fn part(&mut self, item: Value) {
        let mut fields = match item {
            Value::Object(fields) => fields,
            Value::String(text) => return self.text(text),
            other => return self.keep("content", other),
        };
        let whole = Value::Object(fields.clone());
        let text = |fields: &mut Map<String, Value>, key| take_text(fields, key);
        let kind = take_text(&mut fields, "type").unwrap_or_default();
        let part = match kind.as_str() {
            "text" | "input_text" | "output_text" => text(&mut fields, "text").map(Part::text),
            "thinking" => text(&mut fields, "thinking")
                .map(|thought| Part::Reasoning { text: thought, signature: text(&mut fields, "signature") }),
            "redacted_thinking" => text(&mut fields, "data").map(|data| Part::RedactedReasoning { data }),
            "reasoning" => reasoning(&mut fields),
            "image_url" | "image" | "input_image" => image(&fields),
            "tool_use" => return self.call(whole),
            "tool_result" => {
                let answers = text(&mut fields, "tool_use_id");
                let mut inner = self.blank();
                match fields.remove("content") {
                    Some(Value::String(text)) => inner.text(text),
                    Some(Value::Array(items)) => items.into_iter().for_each(|item| inner.part(item)),
                    _ => {}
                }
                if !inner.meta.is_empty() || !inner.calls.is_empty() || !inner.results.is_empty() {
                    self.keep("content", whole);
                }
                self.results.push((answers, inner.parts));
                return;
            }
            _ => None,
        };
        match part {
            // Only an assistant reasons.
            Some(Part::Reasoning { .. } | Part::RedactedReasoning { .. }) if self.role != Role::Assistant => {
                self.keep("content", whole);
            }
            Some(part) => self.parts.push(part),
            None => self.keep("content", whole),
        }
    }

    fn blank(&self) -> Self {
        let (parts, calls, results) = (Vec::new(), Vec::new(), Vec::new());
        Self { role: self.role, id: None, parts, calls, answers: None, results, meta: Meta::new() }
    }

    /// A call of a tool in any of the dialects.
    fn call(&mut self, value: Value) {
        let Value::Object(mut fields) = value else { return self.keep("tool_calls", value) };
        let whole = Value::Object(fields.clone());
        let function = fields.remove("function");
        let mut inner = match function {
            Some(Value::Object(function)) => function,
            Some(Value::String(name)) => Map::from_iter([("name".to_owned(), name.into())]),
            _ => Map::new(),
        };
        let tool = ["name", "function_name", "tool"]
            .iter()
            .find_map(|key| take_text(&mut inner, key).or_else(|| take_text(&mut fields, key)));
        let Some(tool) = tool else { return self.keep("tool_calls", whole) };
        let arguments =
            ["arguments", "input"].iter().find_map(|key| inner.remove(*key).or_else(|| fields.remove(*key)));
        let raw = take_text(&mut fields, "arguments_raw").or_else(|| raw_of_error(&fields));
        let arguments_raw = raw.unwrap_or_else(|| match arguments {
            Some(Value::String(raw)) => raw,
            Some(Value::Null) | None => String::new(),
            Some(value) => value.to_string(),
        });
        let id = ["id", "tool_call_id"].iter().find_map(|key| take_text(&mut fields, key));
        fields.retain(|key, value| !matches!(key.as_str(), "type" | "parse_error") && !value.is_null());
        if !fields.is_empty() {
            self.keep("tool_call_notes", Value::Object(fields));
        }
        self.calls.push(Call { id, tool, arguments_raw });
    }
}

/// What the model wrote where our export to Inspect says that it cannot be parsed.
fn raw_of_error(fields: &Map<String, Value>) -> Option<String> {
    let (_, raw) = fields.get("parse_error")?.as_str()?.split_once("; the arguments were: ")?;
    Some(raw.to_owned())
}

/// Inspect's reasoning, or our own.
fn reasoning(fields: &mut Map<String, Value>) -> Option<Part> {
    let is_redacted = fields.get("redacted").and_then(Value::as_bool).unwrap_or_default();
    let text = take_text(fields, "reasoning").or_else(|| take_text(fields, "text"))?;
    if is_redacted {
        return Some(Part::RedactedReasoning { data: text });
    }
    Some(Part::Reasoning { text, signature: take_text(fields, "signature") })
}

/// An image by its address or its bytes.
fn image(fields: &Map<String, Value>) -> Option<Part> {
    let address = fields.get("image_url").or_else(|| fields.get("image"));
    let address = address.and_then(|value| value.as_str().or_else(|| value.get("url")?.as_str()));
    if let Some(address) = address {
        return Some(image_at(address));
    }
    let source = fields.get("source")?;
    let text = |key: &str| source.get(key).and_then(Value::as_str);
    match (text("url").or_else(|| text("path")), text("data"), media_type(text("media_type").unwrap_or_default())) {
        (Some(url), _, kind) => {
            let media_type = kind.unwrap_or(MediaType::Png);
            Some(Part::Image { media_type, source: ImageSource::Url(url.to_owned()) })
        }
        (None, Some(data), Some(media_type)) => {
            Some(Part::Image { media_type, source: ImageSource::Data(Base64::new(data).ok()?) })
        }
        _ => None,
    }
}

/// The image at a URL. Of one that does not say its type, PNG is assumed.
fn image_at(url: &str) -> Part {
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let inline = inline.and_then(|(kind, data)| Some((media_type(kind)?, Base64::new(data).ok()?)));
    match inline {
        Some((media_type, data)) => Part::Image { media_type, source: ImageSource::Data(data) },
        None => Part::Image { media_type: MediaType::Png, source: ImageSource::Url(url.to_owned()) },
    }
}

fn media_type(name: &str) -> Option<MediaType> {
    [MediaType::Png, MediaType::Jpeg, MediaType::Gif, MediaType::Webp].into_iter().find(|kind| kind.name() == name)
}
