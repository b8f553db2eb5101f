//! A row's keys, taken out one by one, so that what is left is what we do not know. Every error says the row, the key and what was expected.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// A row that could not be read. Rows are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// A key is missing or holds something else.
    #[error("row {row}: key `{key}`: expected {expected}, found {found}")]
    Key {
        /// The row.
        row: usize,
        /// The key; for a key within another one's value, both, joined by a dot.
        key: String,
        /// What it should hold.
        expected: String,
        /// What it holds, by kind: a secret must not come out by way of an error.
        found: String,
    },
    /// It is not a JSON object.
    #[error("row {row}: expected a JSON object, found {found}")]
    NotAnObject {
        /// The row.
        row: usize,
        /// What is there.
        found: String,
    },
    /// Its keys are those of no data set that we know.
    #[error(
        "row {row}: its keys fit none of R2E-Gym (parsed_commit_content), SWE-bench and SWE-Gym (FAIL_TO_PASS, test_patch), SWE-smith \
         (image_name) and Multi-SWE-bench (fix_patch); it has: {keys}"
    )]
    UnknownKind {
        /// The row.
        row: usize,
        /// Its keys.
        keys: String,
    },
}

/// What a value is, without its content.
pub(super) fn sort_of(value: Option<&Value>) -> &'static str {
    match value {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "another text",
        Some(Value::Array(_)) => "another list",
        Some(Value::Object(_)) => "another object",
    }
}

/// The keys of one object that have not been taken yet.
pub(super) struct Fields {
    row: usize,
    /// The key that holds this object, with a dot; empty for the row itself.
    prefix: String,
    keys: Map<String, Value>,
}

impl Fields {
    pub(super) fn new(row: usize, keys: Map<String, Value>) -> Self {
        Self { row, prefix: String::new(), keys }
    }

    pub(super) fn within(&self, key: &str, keys: Map<String, Value>) -> Self {
        Self { row: self.row, prefix: format!("{}{key}.", self.prefix), keys }
    }

    pub(super) fn wrong(&self, key: &str, expected: &str, found: Option<&Value>) -> RowError {
        RowError::Key {
            row: self.row,
            key: format!("{}{key}", self.prefix),
            expected: expected.to_owned(),
            found: sort_of(found).to_owned(),
        }
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.keys.remove(key)
    }

    pub(super) fn text(&mut self, key: &str) -> Result<String, RowError> {
        match self.take(key) {
            Some(Value::String(text)) => Ok(text),
            other => Err(self.wrong(key, "a text", other.as_ref())),
        }
    }

    /// A text that may be missing or null. A number becomes its digits, since versions and dates come as both.
    pub(super) fn optional_text(&mut self, key: &str) -> Result<Option<String>, RowError> {
        match self.take(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            other => Err(self.wrong(key, "a text, or nothing", other.as_ref())),
        }
    }

    /// A list of texts, or the JSON of one in a text.
    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>, RowError> {
        const EXPECTED: &str = "a list of texts, or a text that is the JSON of one";
        let value = self.take(key);
        let parsed = match &value {
            Some(Value::String(text)) => serde_json::from_str(text).ok(),
            Some(list) => serde_json::from_value(list.clone()).ok(),
            None => None,
        };
        parsed.ok_or_else(|| self.wrong(key, EXPECTED, value.as_ref()))
    }

    /// An object, or the JSON of one in a text.
    pub(super) fn object(&mut self, key: &str) -> Result<Map<String, Value>, RowError> {
        let value = self.take(key);
        let parsed = match &value {
            Some(Value::String(text)) => serde_json::from_str(text).ok(),
            Some(Value::Object(object)) => Some(object.clone()),
            _ => None,
        };
        parsed.ok_or_else(|| self.wrong(key, "an object, or a text that is the JSON of one", value.as_ref()))
    }

    /// The value of a key, which stays.
    pub(super) fn peek(&self, key: &str) -> Option<&Value> {
        self.keys.get(key)
    }

    /// What has not been taken.
    pub(super) fn rest(self) -> BTreeMap<String, Value> {
        self.keys.into_iter().collect()
    }
}
