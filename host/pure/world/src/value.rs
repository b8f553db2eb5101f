//! JSON values as worlds keep them: one spelling for equal numbers, paths into them, and their leaves.
//!
//! Invariant: a [`normal`] value has no float that is a whole number, so `25` and `25.0` are one value and have one digest. The order of keys never
//! counts.

use std::collections::BTreeMap;

use assay_trace::Digest;
use serde_json::{Map, Number, Value};

use crate::limits::DEPTH_MAX;

/// Whole floats up to here are integers without loss: 2^53.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// The value with whole floats as integers.
#[must_use]
pub fn normal(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(normal_number(number)),
        Value::Array(items) => Value::Array(items.into_iter().map(normal).collect()),
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(key, value)| (key, normal(value))).collect()),
        other => other,
    }
}

fn normal_number(number: Number) -> Number {
    match number.as_f64() {
        #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
        Some(float) if number.is_f64() && libm::trunc(float) == float && float.abs() <= WHOLE_MAX => {
            Number::from(float as i64)
        }
        _ => number,
    }
}

/// How many levels a value has; a scalar has one.
#[must_use]
pub fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 1,
    }
}

/// Whether a value is flat enough to be kept.
#[must_use]
pub fn is_shallow(value: &Value) -> bool {
    depth(value) <= DEPTH_MAX
}

/// The digest of a value: that of its JSON with sorted keys and no spaces.
#[must_use]
pub fn digest(value: &Value) -> Digest {
    Digest::of(canonical(value).as_bytes())
}

/// JSON with sorted keys and no spaces.
#[must_use]
pub fn canonical(value: &Value) -> String {
    sorted(value).to_string()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Object(fields) => {
            let fields: BTreeMap<&String, &Value> = fields.iter().collect();
            Value::Object(fields.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// What lies at a path of keys and positions with dots between them, for example `items.0.price`. The empty path is the value itself.
#[must_use]
pub fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').filter(|part| !part.is_empty()).try_fold(value, |value, part| match value {
        Value::Object(fields) => fields.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

/// The place of a path, made where the last key is missing. `None` where the way there leads through something that has no parts.
pub fn place<'v>(value: &'v mut Value, path: &str) -> Option<&'v mut Value> {
    path.split('.').filter(|part| !part.is_empty()).try_fold(value, |value, part| match value {
        Value::Object(fields) => Some(fields.entry(part).or_insert(Value::Null)),
        Value::Array(items) => items.get_mut(part.parse::<usize>().ok()?),
        _ => None,
    })
}

/// The scalars, empty lists and empty objects of a value, each by its path: `before` and the keys and positions, with `/` between them. A `~` or `/`
/// in a key is written as in JSON pointers (RFC 6901).
pub fn leaves(before: &str, value: &Value, into: &mut BTreeMap<String, Value>) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                leaves(&format!("{before}/{index}"), item, into);
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            for (key, item) in fields {
                leaves(&format!("{before}/{}", escaped(key)), item, into);
            }
        }
        leaf => {
            into.insert(before.to_owned(), leaf.clone());
        }
    }
}

/// A key as a part of a path.
#[must_use]
pub fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A scalar as people write it: text without quotes, everything else as JSON.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// About how many bytes of memory a value takes.
#[must_use]
pub fn weight(value: &Value) -> u64 {
    NODE_BYTES
        + match value {
            Value::String(text) => text.len() as u64,
            Value::Array(items) => items.iter().map(weight).sum(),
            Value::Object(fields) => {
                fields.iter().map(|(key, item)| NODE_BYTES + key.len() as u64 + weight(item)).sum()
            }
            _ => 0,
        }
}

/// Bytes of a value beside its texts.
const NODE_BYTES: u64 = 32;

/// Hands over each scalar within a value that is not null, in its order; keys are none.
pub fn scalars<'v>(value: &'v Value, each: &mut impl FnMut(&'v Value)) {
    match value {
        Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| scalars(item, each)),
        Value::Object(fields) => fields.values().for_each(|item| scalars(item, each)),
        scalar => each(scalar),
    }
}

/// All texts within a value, in its order; keys are none.
pub fn texts<'v>(value: &'v Value, into: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(fields) => fields.values().for_each(|item| texts(item, into)),
        _ => {}
    }
}

/// Whether any text within a value passes a test.
pub fn any_text(value: &Value, is_it: &mut impl FnMut(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_it(text),
        Value::Array(items) => items.iter().any(|item| any_text(item, is_it)),
        Value::Object(fields) => fields.values().any(|item| any_text(item, is_it)),
        _ => false,
    }
}
