//! Names with values, and texts in which they stand.
//!
//! `"$order.status"` is the value itself; `"the order {order.id}"` is text with the value in it. `now` and `caller` are always known.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::value;
use crate::work::Work;

/// What a tool or an event knows. A name that has no value is null.
#[derive(Clone, Debug, Default)]
pub struct Scope(BTreeMap<String, Value>);

impl Scope {
    /// Gives a name a value.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.0.insert(name.into(), value);
    }

    /// All names with their values.
    pub fn values(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }

    /// About how many bytes of memory all values take.
    #[must_use]
    pub fn weight(&self) -> u64 {
        self.0.iter().map(|(name, value)| name.len() as u64 + value::weight(value)).sum()
    }

    /// What a name and a path after it mean.
    fn find(&self, path: &str) -> Option<&Value> {
        let (name, rest) = path.split_once('.').unwrap_or((path, ""));
        self.0.get(name).and_then(|value| value::at(value, rest))
    }

    /// What a name and a path after it mean; null where there is nothing.
    fn get(&self, path: &str, work: &mut Work) -> Result<Value, String> {
        let Some(found) = self.find(path) else { return Ok(Value::Null) };
        work.build(value::weight(found))?;
        Ok(found.clone())
    }

    /// A value with its names filled in.
    ///
    /// # Errors
    /// It takes more memory than is left.
    pub(crate) fn fill(&self, value: &Value, work: &mut Work) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => match text.strip_prefix('$') {
                Some(path) if is_path(path) => self.get(path, work)?,
                _ => Value::String(self.text(text, work)?),
            },
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.fill(item, work)).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let mut filled = Map::new();
                for (key, item) in fields {
                    work.build(key.len() as u64)?;
                    filled.insert(key.clone(), self.fill(item, work)?);
                }
                Value::Object(filled)
            }
            other => other.clone(),
        })
    }

    /// A text with its names filled in.
    ///
    /// # Errors
    /// It takes more memory than is left.
    pub(crate) fn text(&self, template: &str, work: &mut Work) -> Result<String, String> {
        let mut whole = String::new();
        for piece in pieces(template) {
            match piece {
                Piece::Text(text) => {
                    work.build(text.len() as u64)?;
                    whole.push_str(text);
                }
                Piece::Name(path) => whole.push_str(&value::plain(&self.get(path, work)?)),
            }
        }
        Ok(whole)
    }
}

/// A part of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Piece<'t> {
    /// Text as it is.
    Text(&'t str),
    /// A name, without its braces.
    Name(&'t str),
}

/// The parts of a template. Braces around anything but a name are text.
#[must_use]
pub(crate) fn pieces(template: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = match after.split_once('}') {
            Some((name, tail)) if is_path(name) => (name, tail),
            _ => {
                pieces.push(Piece::Text(&rest[..=before.len()]));
                rest = after;
                continue;
            }
        };
        pieces.extend([Piece::Text(before), Piece::Name(name)]);
        rest = tail;
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// The names that a value uses, without what comes after the first dot.
pub(crate) fn names<'v>(value: &'v Value, into: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => match text.strip_prefix('$') {
            Some(path) if is_path(path) => into.push(first(path)),
            _ => into.extend(names_of_text(text)),
        },
        Value::Array(items) => items.iter().for_each(|item| names(item, into)),
        Value::Object(fields) => fields.values().for_each(|item| names(item, into)),
        _ => {}
    }
}

/// The names that a template uses.
pub(crate) fn names_of_text(template: &str) -> impl Iterator<Item = &str> {
    pieces(template).into_iter().filter_map(|piece| match piece {
        Piece::Name(path) => Some(first(path)),
        Piece::Text(_) => None,
    })
}

fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

fn is_path(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_part)
}
