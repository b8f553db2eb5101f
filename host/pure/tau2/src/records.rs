//! Records of a state for the tools: found with the published error, changed as copies and put back.

use assay_world::State;
use serde_json::Value;

/// A record, or the error of a tool that does not find it.
pub(crate) fn find<'s>(
    state: &'s State,
    table: &str,
    id: &str,
    missing: impl FnOnce() -> String,
) -> Result<&'s Value, String> {
    state.documents.get(table, id).ok_or_else(missing)
}

/// Puts a record back.
pub(crate) fn put(state: &mut State, table: &str, id: &str, record: Value) -> Result<(), String> {
    state.documents.put(table, id, record).map_err(|error| error.to_string())
}

/// A text of a record or of arguments; empty where there is none.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A number.
pub(crate) fn float(value: &Value, key: &str) -> f64 {
    value.get(key).and_then(Value::as_f64).unwrap_or(0.0)
}

/// A whole number.
pub(crate) fn whole(value: &Value, key: &str) -> i64 {
    value.get(key).and_then(Value::as_i64).unwrap_or(0)
}

/// The items of a list.
pub(crate) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The texts of a list.
pub(crate) fn texts<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    items(value, key).iter().filter_map(Value::as_str).collect()
}

/// A list of a record, to be changed; made where it is missing.
pub(crate) fn list<'v>(value: &'v mut Value, key: &str) -> Result<&'v mut Vec<Value>, String> {
    let place =
        value.as_object_mut().ok_or("the record is damaged")?.entry(key).or_insert_with(|| Value::Array(Vec::new()));
    place.as_array_mut().ok_or_else(|| format!("the record is damaged: {key} is no list"))
}

/// Sets a field of a record.
pub(crate) fn set(value: &mut Value, key: &str, to: impl Into<Value>) -> Result<(), String> {
    value.as_object_mut().ok_or("the record is damaged")?.insert(key.to_owned(), to.into());
    Ok(())
}
