//! A request as text: the canonical form that a cassette knows it by, and its size.
//!
//! Invariant: two requests have one digest exactly when a provider would be sent the same: model, messages without our ids and notes,
//! tools, temperature, seed, limits; and the epoch, so that several samples of one request are kept apart.

use assay_rollout::ports::ModelRequest;
use assay_trace::{Digest, ImageSource, Message, Part};
use serde_json::{Value, json};

/// The digest of a request's canonical form.
#[must_use]
pub fn request_digest(model: &str, request: &ModelRequest) -> Digest {
    let messages: Vec<Value> = request.messages.iter().map(|message| message_value(message)).collect();
    let value = json!({
        "model": model,
        "messages": messages,
        "tools": request.tools.as_ref(),
        "temperature": request.temperature,
        "output_tokens_max": request.output_tokens_max,
        "seed": request.seed,
        "epoch": request.epoch,
    });
    let mut text = String::new();
    write_canonical(&value, &mut text);
    Digest::of(text.as_bytes())
}

fn message_value(message: &Message) -> Value {
    let calls: Vec<Value> = message
        .tool_calls()
        .iter()
        .map(|call| json!({"id": call.id(), "tool": call.tool(), "arguments": call.arguments_raw()}))
        .collect();
    json!({
        "role": message.role().name(),
        "parts": message.parts(),
        "tool_calls": calls,
        "tool_call_id": message.answers(),
    })
}

/// JSON with sorted keys and no white space, whatever order the map keeps its keys in.
fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut entries: Vec<_> = fields.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write_canonical(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_canonical(item, text);
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

/// How many bytes of content a request holds.
pub(crate) fn request_bytes(request: &ModelRequest) -> usize {
    let messages = request.messages.iter().map(|message| {
        let calls = message.tool_calls().iter().map(|call| call.tool().len() + call.arguments_raw().len());
        message.parts().iter().map(part_bytes).sum::<usize>() + calls.sum::<usize>()
    });
    messages.sum::<usize>() + request.tools.iter().map(|tool| tool.to_string().len()).sum::<usize>()
}

/// How many bytes of content a part holds.
pub(crate) fn part_bytes(part: &Part) -> usize {
    match part {
        Part::Text { text } => text.len(),
        Part::Image { source: ImageSource::Data(base64), .. } => base64.as_str().len(),
        Part::Image { source: ImageSource::Url(url), .. } => url.len(),
        Part::Reasoning { text, signature } => text.len() + signature.as_ref().map_or(0, String::len),
        Part::RedactedReasoning { data } => data.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_trace::{CallId, MessageId, ToolCall};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn ask(messages: Vec<Message>) -> ModelRequest {
        ModelRequest {
            messages: messages.into_iter().map(Arc::new).collect(),
            tools: Arc::from([]),
            temperature: None,
            output_tokens_max: None,
            seed: None,
            replies: 0,
            epoch: 0,
        }
    }

    fn id(text: &str) -> MessageId {
        MessageId::new(text).expect("an identifier")
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<i32>().prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((".{0,4}", inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    /// The same value, its keys inserted in the opposite order.
    fn reversed(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut entries: Vec<_> = fields.iter().map(|(key, value)| (key.clone(), reversed(value))).collect();
                entries.reverse();
                Value::Object(entries.into_iter().collect())
            }
            Value::Array(items) => items.iter().map(reversed).collect(),
            scalar => scalar.clone(),
        }
    }

    proptest! {
        #[test]
        fn the_form_depends_on_the_value_alone(value in any_json()) {
            let (mut one, mut other) = (String::new(), String::new());
            write_canonical(&value, &mut one);
            write_canonical(&reversed(&value), &mut other);
            prop_assert_eq!(&one, &other);
            prop_assert_eq!(serde_json::from_str::<Value>(&one).expect("it is JSON"), value);
        }

        #[test]
        fn ids_notes_and_what_was_left_out_do_not_count_and_everything_else_does(text in ".{0,20}", other in ".{0,20}", seed: u64, epoch: u32) {
            let digest = |request: &ModelRequest| request_digest("m", request);
            let base = ModelRequest { seed: Some(seed), epoch, ..ask(vec![Message::user(id("a"), text.clone())]) };
            let renamed = Message::user(id("b"), text.clone()).with_meta("note", Value::from(1));
            let same = ModelRequest { messages: vec![Arc::new(renamed)], replies: 9, ..base.clone() };
            prop_assert_eq!(digest(&base), digest(&same));
            let changed = [
                ModelRequest { messages: vec![Arc::new(Message::system(id("a"), text.clone()))], ..base.clone() },
                ModelRequest { messages: [base.messages.clone(), base.messages.clone()].concat(), ..base.clone() },
                ModelRequest { tools: Arc::from([Value::from(text.clone())]), ..base.clone() },
                ModelRequest { temperature: Some(0.5), ..base.clone() },
                ModelRequest { output_tokens_max: Some(1), ..base.clone() },
                ModelRequest { seed: Some(seed.wrapping_add(1)), ..base.clone() },
                ModelRequest { seed: None, ..base.clone() },
                ModelRequest { epoch: epoch.wrapping_add(1), ..base.clone() },
            ];
            for request in &changed {
                prop_assert_ne!(digest(&base), digest(request));
            }
            prop_assert_ne!(digest(&base), request_digest("n", &base));
            let said = ModelRequest { messages: vec![Arc::new(Message::user(id("a"), other.clone()))], ..base.clone() };
            prop_assert_eq!(text == other, digest(&base) == digest(&said));
        }
    }

    #[test]
    fn raw_arguments_count_byte_for_byte() {
        let call = |arguments: &str| {
            let call = ToolCall::new(CallId::new("c").expect("an identifier"), "t", arguments);
            let message = Message::assistant(id("a"), vec![], vec![call]).expect("one call");
            request_digest("m", &ask(vec![message]))
        };
        assert_ne!(call(r#"{"a":1}"#), call(r#"{"a": 1}"#));
    }
}
