//! What is known of a call that was made, and of an event that happened.

use assay_model::{Nanos, Time};
use serde_json::{Value, json};

use crate::faults::Fault;
use crate::tool_spec::Caller;

/// Why a call has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallError {
    /// The kind: `unknown_tool`, `arguments`, `refused`, `rate_limit`, `unavailable`, `timeout`, `broken_answer`,
    /// `connection`, `conflict`, `interface_changed`, `too_many_calls`.
    pub kind: &'static str,
    /// What the caller is told.
    pub message: String,
}

/// A call that was made.
#[derive(Clone, Debug)]
pub struct Called {
    /// When it began, in the world's time.
    pub at: Time,
    /// Who made it.
    pub caller: Caller,
    /// The tool's name as the caller wrote it.
    pub tool: String,
    /// The arguments; none where they were not what the schema asks for.
    pub arguments: Option<Value>,
    /// What the caller hears, or why there is no answer.
    pub result: Result<Value, CallError>,
    /// The answer as the caller sees it.
    pub text: String,
    /// What went wrong on purpose.
    pub fault: Option<Fault>,
    /// Whether the tool may change the world.
    pub is_write: bool,
    /// Whether it was done, whatever the caller heard.
    pub was_done: bool,
    /// The time that it took in the world.
    pub latency: Nanos,
    /// For a rate limit: the time before which trying again is too early.
    pub not_before: Option<Time>,
}

/// An event of the agenda that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Happened {
    /// When.
    pub at: Time,
    /// What did it.
    pub source: String,
    /// What the agent is told.
    pub notify: Option<String>,
    /// Why nothing changed, where a step failed.
    pub failed: Option<String>,
}

/// An error of a kind.
pub(crate) fn error(kind: &'static str, message: String) -> CallError {
    CallError { kind, message }
}

/// The argument that a tool wants after its interface has changed, and its value.
pub(crate) const NEEDED: (&str, &str) = ("api_version", "2");
/// The kind of error that says so.
pub(crate) const INTERFACE_CHANGED: &str = "interface_changed";

/// An error as a caller sees it.
pub(crate) fn error_text(error: &CallError, wait: Option<Nanos>) -> String {
    let mut body = json!({ "type": error.kind, "message": error.message });
    if let Some(wait) = wait {
        body["retry_after_seconds"] = wait.0.div_ceil(1_000_000_000).into();
    }
    if error.kind == INTERFACE_CHANGED {
        let (name, value) = NEEDED;
        body["required"] = json!({ name: value });
    }
    json!({ "error": body }).to_string()
}
