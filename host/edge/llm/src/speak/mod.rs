//! A request in each dialect: the JSON that is sent.
//!
//! Invariants: signed and redacted reasoning goes back to the provider it came from unchanged and in its order, and is left out where the
//! dialect has no place for it; nothing else is left out silently, what a dialect cannot say is refused.
//!
//! Arguments that are no JSON object cannot be said in any dialect but `OpenAI`'s, and there they break servers that parse them: they go back as
//! an object whose one field, [`BROKEN_ARGUMENTS`], holds what the model wrote.

mod anthropic;
mod claude;
mod gemini;
mod openai;
mod responses;

use crate::spec::{Dialect, Provider};
use crate::trouble::Trouble;
use assay_rollout::ports::ModelRequest;
use assay_trace::{Message, Part, ToolCall};
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

    /// `OpenAI`'s word for it; none for a number of tokens.
    const fn word(self) -> Option<&'static str> {
        match self {
            Self::Off => Some("none"),
            Self::Low => Some("low"),
            Self::Medium => Some("medium"),
            Self::High => Some("high"),
            Self::Tokens(_) => None,
        }
    }
}

/// Everything that a body is made of.
struct Asked<'r> {
    provider: Provider,
    model: &'r str,
    reasoning: Option<Reasoning>,
    request: &'r ModelRequest,
}

/// The body of a request.
///
/// # Errors
/// The conversation holds what the dialect cannot say.
pub(crate) fn body(
    provider: Provider,
    model: &str,
    reasoning: Option<Reasoning>,
    request: &ModelRequest,
) -> Result<Value, Trouble> {
    let asked = Asked { provider, model, reasoning, request };
    match Dialect::of(provider, model) {
        Dialect::Chat => openai::body(&asked),
        Dialect::Responses => responses::body(&asked),
        Dialect::Anthropic => anthropic::body(&asked),
        Dialect::Gemini => gemini::body(&asked),
    }
}

fn plain_text(message: &Message) -> Result<String, Trouble> {
    if message.parts().iter().any(|part| matches!(part, Part::Image { .. })) {
        return Err(Trouble::refused(format!("a {} message must not hold images", message.role().name()), None));
    }
    Ok(message.text())
}

fn user_reasoning() -> Trouble {
    Trouble::refused("a user message must not hold reasoning", None)
}

/// The texts of a user's message, an empty line between them.
fn user_text(message: &Message) -> String {
    let texts = message.parts().iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn is_text_only(message: &Message) -> bool {
    message.parts().iter().all(|part| matches!(part, Part::Text { .. }))
}

/// The arguments of a call as an object.
fn arguments(call: &ToolCall) -> Value {
    let arguments = call.arguments().map(|arguments| Value::Object(arguments.clone()));
    arguments.unwrap_or_else(|| json!({ BROKEN_ARGUMENTS: call.arguments_raw() }))
}

/// A tool that is offered.
struct Tool<'v> {
    name: &'v str,
    description: Option<&'v str>,
    schema: Value,
    strict: bool,
}

impl<'v> Tool<'v> {
    /// Reads a tool in the form of chat APIs, `{"type": "function", "function": {…}}`, or only the inside of it.
    fn read(value: &'v Value) -> Result<Self, Trouble> {
        let function = value.get("function").unwrap_or(value);
        let Some(name) = function.get("name").and_then(Value::as_str) else {
            return Err(Trouble::refused("a tool has no name", None));
        };
        let schema = function.get("parameters").or_else(|| function.get("input_schema")).cloned();
        Ok(Self {
            name,
            description: function.get("description").and_then(Value::as_str),
            schema: schema.unwrap_or_else(|| json!({"type": "object", "properties": {}})),
            strict: function.get("strict").and_then(Value::as_bool).unwrap_or(false),
        })
    }
}

/// The tools of a request, each in the words of a dialect; none where there are none.
fn tools(request: &ModelRequest, say: impl Fn(&Tool<'_>) -> Value) -> Result<Option<Vec<Value>>, Trouble> {
    let tools: Vec<Value> = request.tools.iter().map(|tool| Ok(say(&Tool::read(tool)?))).collect::<Result<_, _>>()?;
    Ok((!tools.is_empty()).then_some(tools))
}

/// Adds a field where there is something to say.
fn put(body: &mut Value, field: &str, value: Option<impl Into<Value>>) {
    if let (Some(fields), Some(value)) = (body.as_object_mut(), value) {
        fields.insert(field.to_owned(), value.into());
    }
}
