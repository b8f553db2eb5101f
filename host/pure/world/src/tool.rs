//! What a tool is: one specification, from which chat APIs, checks and records are rendered, and what it does.
//!
//! Invariant: a tool that exists has a valid schema, steps that use no name without a value, and says itself whether it writes.

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;
use thiserror::Error;

use crate::builtin::{self, BuiltIn, Reach};
use crate::limits::{ARGUMENT_BYTES_MAX, STEPS_MAX};
use crate::native::Native;
use crate::schema;
use crate::step::{Step, unbound};
use crate::tool_spec::ToolSpec;
use crate::value;

/// What a tool does.
#[derive(Clone, Debug)]
pub enum Body {
    /// One of ours.
    BuiltIn(BuiltIn, Reach),
    /// A program.
    Native(Arc<dyn Native>),
    /// Steps, and what they answer.
    Rules {
        /// The steps.
        steps: Vec<Step>,
        /// The answer; names in it are filled in.
        answer: Value,
    },
}

/// A tool.
#[derive(Clone, Debug)]
pub struct Tool {
    /// What everybody may know of it.
    pub spec: ToolSpec,
    /// What it does.
    pub body: Body,
    arguments: Validator,
}

/// Why a tool is unknown.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ToolError {
    /// Its name cannot be one.
    #[error("{0:?} cannot be the name of a tool: use 1 to 64 letters, digits, `_` and `-`")]
    Name(String),
    /// Its schema is none.
    #[error("the parameters of {tool} are no schema for arguments: {why}")]
    Schema {
        /// The tool.
        tool: String,
        /// What is wrong.
        why: String,
    },
    /// A step uses a name that nothing gives a value.
    #[error("the steps of {tool} use `{name}`, which is neither an argument nor bound by an earlier step")]
    Unbound {
        /// The tool.
        tool: String,
        /// The name.
        name: String,
    },
    /// There are too many steps.
    #[error("{tool} has {steps} steps, at most {STEPS_MAX}")]
    Steps {
        /// The tool.
        tool: String,
        /// Its steps.
        steps: usize,
    },
}

/// The names that every step knows.
pub const KNOWN_NAMES: [&str; 2] = ["now", "caller"];

impl Tool {
    /// A tool of this body.
    ///
    /// # Errors
    /// Its name, schema or steps are wrong.
    pub fn new(spec: ToolSpec, body: Body) -> Result<Self, ToolError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if spec.name.is_empty() || spec.name.len() > 64 || !spec.name.chars().all(is_plain) {
            return Err(ToolError::Name(spec.name));
        }
        let wrong = |why: String| ToolError::Schema { tool: spec.name.clone(), why };
        if spec.parameters.get("type").and_then(Value::as_str) != Some("object") {
            return Err(wrong("`type` is not \"object\"".to_owned()));
        }
        let arguments = schema::compiled(&spec.parameters).map_err(wrong)?;
        if let Body::Rules { steps, answer } = &body {
            let count = steps.iter().map(Step::count).sum();
            if count > STEPS_MAX {
                return Err(ToolError::Steps { tool: spec.name, steps: count });
            }
            let properties = spec.parameters.get("properties").and_then(Value::as_object);
            let properties = properties.into_iter().flat_map(|properties| properties.keys().cloned());
            let mut known: Vec<String> = KNOWN_NAMES.map(str::to_owned).into_iter().chain(properties).collect();
            let mut used = Vec::new();
            crate::scope::names(answer, &mut used);
            let name = unbound(steps, &mut known).or_else(|| {
                used.iter().find(|name| !known.iter().any(|other| other == *name)).map(|&name| name.to_owned())
            });
            if let Some(name) = name {
                return Err(ToolError::Unbound { tool: spec.name, name });
            }
        }
        Ok(Self { spec, body, arguments })
    }

    /// One of ours, with its own specification where a world says nothing else.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn built_in(kind: BuiltIn, reach: Reach, change: impl FnOnce(&mut ToolSpec)) -> Result<Self, ToolError> {
        let mut spec = builtin::spec(kind);
        change(&mut spec);
        Self::new(spec, Body::BuiltIn(kind, reach))
    }

    /// The same tool, whose body takes whatever object of arguments comes: the schema is for those who call it.
    #[must_use]
    pub fn unchecked(self) -> Self {
        let all = jsonschema::validator_for(&serde_json::json!({ "type": "object" }));
        match all {
            Ok(arguments) => Self { arguments, ..self },
            Err(_) => self,
        }
    }

    /// How many of its steps write, one after the other: a tool of at least two can be done in part.
    #[must_use]
    pub fn parts(&self) -> usize {
        match &self.body {
            Body::BuiltIn(..) | Body::Native(_) => 0,
            Body::Rules { steps, .. } => steps.iter().filter(|step| step.is_write()).count(),
        }
    }

    /// The arguments of a call, read from its text.
    ///
    /// # Errors
    /// The text is too long, no JSON object, or not what the schema asks for; the error names the path.
    pub fn read_arguments(&self, text: &str) -> Result<Value, String> {
        if text.len() > ARGUMENT_BYTES_MAX {
            return Err(format!("the arguments have {} bytes, at most {ARGUMENT_BYTES_MAX}", text.len()));
        }
        let text = if text.trim().is_empty() { "{}" } else { text };
        let arguments: Value =
            serde_json::from_str(text).map_err(|error| format!("the arguments are not JSON: {error}"))?;
        if !arguments.is_object() {
            return Err("the arguments are not a JSON object".to_owned());
        }
        if !value::is_shallow(&arguments) {
            return Err("the arguments have too many levels".to_owned());
        }
        // A program can tell 25 from 25.0.
        let is_exact = matches!(self.body, Body::Native(_));
        let arguments = if is_exact { arguments } else { value::normal(arguments) };
        schema::errors(&self.arguments, &arguments).map_or(Ok(arguments), Err)
    }
}
