//! What everybody may know of a tool: one specification, from which chat APIs, checks and records are rendered.

use assay_model::Nanos;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The time that a call takes where a world says nothing else.
pub const LATENCY: Nanos = Nanos(300_000_000);

/// Who calls a tool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// The agent under test.
    Agent,
    /// The user that it talks to.
    User,
    /// Whoever runs the world: the right answer of a task may use its tools.
    Operator,
}

impl Caller {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::User => "user",
            Self::Operator => "operator",
        }
    }
}

/// What everybody may know of a tool.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, for agents.
    pub description: String,
    /// The JSON schema of its arguments, which are an object.
    pub parameters: Value,
    /// Who may call it.
    pub callers: Vec<Caller>,
    /// Whether it may change the world.
    pub is_write: bool,
    /// Whether doing it twice is as good as once.
    pub is_idempotent: bool,
    /// The time that a call takes in the world.
    pub latency: Nanos,
}

impl ToolSpec {
    /// The tool in the form of chat APIs.
    #[must_use]
    pub fn chat(&self) -> Map<String, Value> {
        let Self { name, description, parameters, .. } = self;
        let function = json!({ "name": name, "description": description, "parameters": parameters });
        [("type".to_owned(), "function".into()), ("function".to_owned(), function)].into_iter().collect()
    }
}

impl Default for ToolSpec {
    /// A tool without a name that the agent may call and that only reads.
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            parameters: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            callers: vec![Caller::Agent],
            is_write: false,
            is_idempotent: false,
            latency: LATENCY,
        }
    }
}
