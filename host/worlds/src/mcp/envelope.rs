//! JSON-RPC 2.0, as far as the Model Context Protocol uses it.
//!
//! Invariant: whatever is received is one of a request, a notification and an answer to nothing, or an error that can be sent back.

use serde_json::{Map, Value, json};

/// The text is not JSON.
pub(super) const PARSE_ERROR: i64 = -32_700;
/// The JSON is no message.
pub(super) const INVALID_REQUEST: i64 = -32_600;
/// The method is unknown.
pub(super) const METHOD_NOT_FOUND: i64 = -32_601;
/// The parameters are not those of the method, or the tool is unknown.
pub(super) const INVALID_PARAMS: i64 = -32_602;
/// There is nothing left to do it with: no episode, no place in the queue.
pub(super) const UNAVAILABLE: i64 = -32_000;

/// Bytes of an id: it comes back in the answer.
const ID_BYTES_MAX: usize = 256;

/// An error of JSON-RPC.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
}

impl RpcError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The message with which it is sent.
    pub(super) fn message(&self, id: &Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": self.code, "message": self.message } })
    }
}

/// A message.
#[derive(Debug)]
pub(super) enum Incoming {
    /// It is to be answered under this id.
    Request { id: Value, method: String, params: Map<String, Value> },
    /// It is not answered.
    Notification,
}

/// Reads a message.
pub(super) fn read(value: Value) -> Result<Incoming, (Value, RpcError)> {
    let wrong = |id: &Value, why: &str| (id.clone(), RpcError::new(INVALID_REQUEST, why));
    let Value::Object(mut fields) = value else { return Err(wrong(&Value::Null, "a message is a JSON object")) };
    let id = fields.remove("id");
    let is_id = match &id {
        None => true,
        Some(Value::String(text)) => text.len() <= ID_BYTES_MAX,
        Some(Value::Number(number)) => number.is_i64() || number.is_u64(),
        Some(_) => false,
    };
    if !is_id {
        return Err(wrong(&Value::Null, "`id` is not a short text or a whole number"));
    }
    let known = id.clone().unwrap_or_default();
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(wrong(&known, "`jsonrpc` is not \"2.0\""));
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) => method,
        // An answer: nothing was asked, so it answers nothing.
        None if fields.contains_key("result") || fields.contains_key("error") => return Ok(Incoming::Notification),
        _ => return Err(wrong(&known, "`method` is not a text")),
    };
    let params = match fields.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err((known, RpcError::new(INVALID_PARAMS, "`params` is not a JSON object"))),
    };
    Ok(id.map_or(Incoming::Notification, |id| Incoming::Request { id, method, params }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_refused_under_its_id() {
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1"),
            (r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{"_meta":{}}}"#, "request \"a\""),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "notification"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "notification"),
            ("[]", "null -32600"),
            ("7", "null -32600"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "1 -32600"),
            (r#"{"id":1,"method":"ping"}"#, "1 -32600"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "1 -32600"),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "1 -32600"),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "null -32600"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "null -32600"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "null -32600"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, "1 -32602"),
        ] {
            let seen = match read(serde_json::from_str(text).expect("JSON")) {
                Ok(Incoming::Request { id, .. }) => format!("request {id}"),
                Ok(Incoming::Notification) => "notification".to_owned(),
                Err((id, error)) => format!("{id} {}", error.code),
            };
            assert_eq!(seen, expected, "{text}");
        }
    }
}
