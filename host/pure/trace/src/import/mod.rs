//! What others recorded, as trajectories: chat rows, bare messages, interleaved lines with `_type`, ATIF documents, Inspect logs.
//!
//! Invariants: a field that has no place here is kept, in `meta` or in an event of its own kind; what is damaged is named and nothing is made up
//! in its stead: a time, a price or a score that is not there stays unknown. Reading is lenient where writing is strict.
//!
//! ```text
//! JSON value ──► shape ──► chat row, document ──► trajectories
//!                  └──► message, `_type` line ──► the conversation that is open ──► a trajectory at its end
//! ```
//!
//! Left out on purpose: files. Whoever reads them gives one JSON value after another.

mod atif;
mod chat;
mod draft;
mod inspect;
mod lines;
mod message;
mod time;

use crate::trajectory::Trajectory;
use chat::chat_row;
use draft::Draft;
use serde_json::{Map, Value};
use thiserror::Error;

/// Why something was not taken.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ImportError {
    /// Its shape is none of those that are known.
    #[error(
        "it is no chat row (`messages`), message (`role`), typed line (`_type`), ATIF document (`schema_version`) or Inspect log (`samples`): {found}"
    )]
    UnknownForm {
        /// What is there instead.
        found: String,
    },
    /// Something in it cannot be read.
    #[error("{place}: {why}")]
    Damaged {
        /// Where in the value.
        place: String,
        /// What is wrong.
        why: String,
    },
}

/// What came of a value: one damaged episode does not spoil the others.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Taken {
    /// The trajectories that are whole by now.
    pub made: Vec<Trajectory>,
    /// What could not be read.
    pub damaged: Vec<ImportError>,
}

/// Makes trajectories from the values of one file.
#[derive(Debug)]
pub struct Importer {
    /// What trajectories are named by that have no name of their own.
    name: String,
    /// The conversation whose messages or lines come one by one.
    open: Option<Draft>,
    /// Trajectories so far.
    made: usize,
}

impl Importer {
    /// An importer for the file of this name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), open: None, made: 0 }
    }

    /// Takes the next value of the file. A typed line or a message that is damaged is left out; of a damaged chat row, document or sample nothing is taken.
    pub fn take(&mut self, value: Value) -> Taken {
        let mut taken = Taken::default();
        match value {
            Value::Array(items) if is_conversation(&items) => {
                self.take_object(Map::from_iter([("messages".to_owned(), items.into())]), &mut taken);
            }
            Value::Array(items) => {
                for (place, item) in items.into_iter().enumerate() {
                    if taken.damaged.len() >= DAMAGED_MAX {
                        break;
                    }
                    match item {
                        Value::Object(fields) => self.take_object(fields, &mut taken),
                        _ => taken.damaged.push(damaged(format!("item {}", place + 1), "it is not an object")),
                    }
                }
            }
            Value::Object(fields) => self.take_object(fields, &mut taken),
            other => taken.damaged.push(ImportError::UnknownForm { found: sort_of(&other).to_owned() }),
        }
        taken
    }

    fn take_object(&mut self, fields: Map<String, Value>, taken: &mut Taken) {
        if fields.get("_type").is_some_and(Value::is_string) {
            self.take_line(fields, taken);
        } else if fields.contains_key("role") {
            if let Err(why) = self.open("messages").message(fields) {
                taken.damaged.push(damaged("the message", why));
            }
        } else {
            taken.made.extend(self.end());
            let before = taken.made.len();
            if let Err(error) = self.take_whole(fields, taken) {
                taken.damaged.push(error);
            }
            self.made += taken.made.len() - before;
        }
    }

    /// A value that holds whole episodes.
    fn take_whole(&self, mut fields: Map<String, Value>, taken: &mut Taken) -> Result<(), ImportError> {
        let name = self.name_of_next();
        let version = fields.get("schema_version").and_then(Value::as_str).unwrap_or_default();
        if version.starts_with("ATIF") {
            taken.made.extend(atif::trajectories(&name, fields)?);
        } else if fields.get("samples").is_some_and(Value::is_array) {
            inspect::take(&name, fields, taken);
        } else if fields.get("messages").is_some_and(Value::is_array) {
            let messages = fields.remove("messages").unwrap_or_default();
            taken.made.push(chat_row(&name, messages, fields)?);
        } else {
            let keys = fields.keys().take(KEYS_SHOWN_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
            let found =
                if keys.is_empty() { "an object without keys".to_owned() } else { format!("its keys are {keys}") };
            return Err(ImportError::UnknownForm { found });
        }
        Ok(())
    }

    fn take_line(&mut self, fields: Map<String, Value>, taken: &mut Taken) {
        if fields.get("_type").and_then(Value::as_str) == Some("metadata") {
            taken.made.extend(self.end());
        }
        if let Err(why) = lines::take(self.open("lines"), fields) {
            taken.damaged.push(damaged("the line", why));
        }
    }

    /// The conversation whose messages or lines come one by one.
    fn open(&mut self, form: &str) -> &mut Draft {
        let name = self.name_of_next();
        self.open.get_or_insert_with(|| Draft::new(&name, form))
    }

    /// Whether the messages or lines of a conversation have come that is not at its end.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The conversation whose messages or lines came one by one, at the end of the file.
    pub fn end(&mut self) -> Option<Trajectory> {
        let made = self.open.take().map(Draft::finish)?;
        self.made += 1;
        Some(made)
    }

    fn name_of_next(&self) -> String {
        format!("{}.{}", self.name, self.made + 1)
    }
}

/// Damaged items of one value after which the others are not looked at.
const DAMAGED_MAX: usize = 10_000;
/// Keys that an error shows.
const KEYS_SHOWN_MAX: usize = 12;

fn is_conversation(items: &[Value]) -> bool {
    items.first().is_some_and(|first| first.get("role").is_some() && first.get("_type").is_none())
}

fn damaged(place: impl Into<String>, why: impl Into<String>) -> ImportError {
    ImportError::Damaged { place: place.into(), why: why.into() }
}

/// What a value is, in words.
fn sort_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "it is null",
        Value::Bool(_) => "it is true or false",
        Value::Number(_) => "it is a number",
        Value::String(_) => "it is a text",
        Value::Array(_) => "it is a list",
        Value::Object(_) => "it is an object",
    }
}
