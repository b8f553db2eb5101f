//! What an assistant asks of a tool.
//!
//! Invariant: `arguments_raw` is what the model wrote, byte for byte, and either `arguments` is that text parsed or `parse_error` says
//! why it cannot be. Broken arguments are the agent's mistake: data to score, never an error of ours.

use crate::identifier::CallId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

/// How deep arguments may nest. Parsers of JSON stop at 128 levels, and a file nests the arguments a few levels deeper.
pub const ARGUMENTS_DEPTH_MAX: usize = 64;

/// One call of a tool, as an assistant asked for it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "ToolCallRecord", into = "ToolCallRecord")]
pub struct ToolCall {
    id: CallId,
    tool: String,
    arguments_raw: String,
    arguments: Result<Map<String, Value>, String>,
}

impl ToolCall {
    /// The call of `tool` with the arguments as the model wrote them. An empty text means no arguments, as several providers send it.
    #[must_use]
    pub fn new(id: CallId, tool: impl Into<String>, arguments_raw: impl Into<String>) -> Self {
        let arguments_raw = arguments_raw.into();
        let arguments = parse_arguments(&arguments_raw);
        Self { id, tool: tool.into(), arguments_raw, arguments }
    }

    /// The call's id.
    #[must_use]
    pub fn id(&self) -> &CallId {
        &self.id
    }

    /// The tool's name as the model wrote it; it may name no tool at all.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments as the model wrote them.
    #[must_use]
    pub fn arguments_raw(&self) -> &str {
        &self.arguments_raw
    }

    /// The arguments, if they are a JSON object.
    #[must_use]
    pub fn arguments(&self) -> Option<&Map<String, Value>> {
        self.arguments.as_ref().ok()
    }

    /// Why the arguments cannot be understood.
    #[must_use]
    pub fn parse_error(&self) -> Option<&str> {
        self.arguments.as_ref().err().map(String::as_str)
    }

    /// The arguments in a form that does not depend on white space or the order of keys; the raw text if they cannot be understood.
    #[must_use]
    pub fn arguments_canonical(&self) -> String {
        match &self.arguments {
            Ok(arguments) => canonical(&Value::Object(arguments.clone())),
            Err(_) => self.arguments_raw.clone(),
        }
    }
}

fn parse_arguments(raw: &str) -> Result<Map<String, Value>, String> {
    if raw.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str::<Value>(raw) {
        Ok(value) if depth(&value) > ARGUMENTS_DEPTH_MAX => {
            Err(format!("nested deeper than {ARGUMENTS_DEPTH_MAX} levels"))
        }
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err("the arguments are JSON, but not an object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// How deep a value nests; a number or a text is one level.
pub(crate) fn depth(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// JSON with sorted keys and no white space, whatever order the map keeps its keys in.
pub(crate) fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut entries: Vec<_> = fields.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let entries =
                entries.into_iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        scalar => scalar.to_string(),
    }
}

/// A tool call as it stands in files, ours and foreign: raw arguments or parsed ones may be missing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCallRecord {
    /// The call's id.
    pub id: CallId,
    /// The tool's name.
    pub tool: String,
    /// What the model wrote; records without it are taken to have written `arguments` in canonical form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_raw: Option<String>,
    /// The parsed arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// Why `arguments_raw` could not be parsed, in the words of whoever tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parse_error: Option<String>,
}

/// Why a record is not a tool call.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ToolCallError {
    /// Parsed arguments are given that are not what the raw ones say.
    #[error("tool call {id}: `arguments` are not what `arguments_raw` says")]
    ArgumentsDisagree {
        /// The call.
        id: CallId,
    },
    /// Both arguments and an error are given.
    #[error("tool call {id}: `arguments` and `parse_error` exclude each other")]
    ArgumentsAndError {
        /// The call.
        id: CallId,
    },
    /// The parsed arguments nest too deep.
    #[error("tool call {id}: arguments nested deeper than {ARGUMENTS_DEPTH_MAX} levels")]
    TooDeep {
        /// The call.
        id: CallId,
    },
}

impl TryFrom<ToolCallRecord> for ToolCall {
    type Error = ToolCallError;

    fn try_from(record: ToolCallRecord) -> Result<Self, ToolCallError> {
        let ToolCallRecord { id, tool, arguments_raw, arguments, parse_error } = record;
        match (arguments_raw, arguments, parse_error) {
            (_, Some(_), Some(_)) => Err(ToolCallError::ArgumentsAndError { id }),
            // Whoever parsed first may be stricter than we are, so its verdict stands.
            (raw, None, Some(error)) => {
                Ok(Self { id, tool, arguments_raw: raw.unwrap_or_default(), arguments: Err(error) })
            }
            (Some(raw), None, None) => Ok(Self::new(id, tool, raw)),
            (None, None, None) => Ok(Self::new(id, tool, "")),
            (None, Some(arguments), None) => {
                let call = Self::new(id, tool, canonical(&Value::Object(arguments)));
                if call.parse_error().is_some() { Err(ToolCallError::TooDeep { id: call.id }) } else { Ok(call) }
            }
            (Some(raw), Some(arguments), None) => {
                let call = Self::new(id, tool, raw);
                if call.arguments() == Some(&arguments) {
                    Ok(call)
                } else {
                    Err(ToolCallError::ArgumentsDisagree { id: call.id })
                }
            }
        }
    }
}

impl From<ToolCall> for ToolCallRecord {
    fn from(call: ToolCall) -> Self {
        let (arguments, parse_error) = match call.arguments {
            Ok(arguments) => (Some(arguments), None),
            Err(error) => (None, Some(error)),
        };
        Self { id: call.id, tool: call.tool, arguments_raw: Some(call.arguments_raw), arguments, parse_error }
    }
}
