//! Interleaved lines, each with a `_type`: `metadata`, `message`, `event`, `score`, or one of the source's own.
//!
//! Our own files are such lines too, and so one with a broken hash chain can be read line by line: what it says is then the reader's to believe.

use super::chat::about;
use super::draft::Draft;
use super::message::take_text;
use crate::digest::Digest;
use crate::event::Event;
use crate::metadata::Metadata;
use crate::verdict::Verdict;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Takes a line into the conversation. The error says why it cannot be read.
pub(super) fn take(draft: &mut Draft, mut fields: Map<String, Value>) -> Result<(), String> {
    let kind = take_text(&mut fields, "_type").unwrap_or_default();
    // Ours ends with the hash of the lines so far, which says nothing here.
    if fields.get("_hash").and_then(Value::as_str).is_some_and(|hash| Digest::from_hex(hash.as_bytes()).is_ok()) {
        fields.remove("_hash");
    }
    match kind.as_str() {
        "metadata" => {
            metadata(draft, fields);
            Ok(())
        }
        "message" => {
            times(draft, &fields);
            draft.message(fields)
        }
        "event" => {
            event(draft, fields);
            Ok(())
        }
        "score" => {
            score(draft, fields);
            Ok(())
        }
        other => {
            times(draft, &fields);
            draft.note(other, &Value::Object(fields));
            Ok(())
        }
    }
}

/// The value in our own form, where it is one.
fn own<T: DeserializeOwned>(fields: &Map<String, Value>) -> Option<T> {
    // By way of text: an event's body is kept byte for byte, which only text has.
    serde_json::from_str(&serde_json::to_string(fields).ok()?).ok()
}

fn times(draft: &mut Draft, fields: &Map<String, Value>) {
    let found = ["at_ns", "timestamp", "at", "time", "created_at"].iter().find_map(|key| fields.get(*key));
    draft.at(found);
}

fn metadata(draft: &mut Draft, mut fields: Map<String, Value>) {
    if let Some(own) = own::<Metadata>(&fields) {
        draft.metadata = own;
        return;
    }
    if let Some(id) = take_text(&mut fields, "id").or_else(|| take_text(&mut fields, "trajectory_id")) {
        draft.rename(&id);
    }
    about(draft, &mut fields);
    if let Some(Value::Object(meta)) = fields.remove("meta") {
        draft.keep(meta);
    }
    draft.keep(fields);
}

fn event(draft: &mut Draft, fields: Map<String, Value>) {
    times(draft, &fields);
    if let Some(event) = own::<Event>(&fields) {
        return draft.record(event);
    }
    let kind =
        ["kind", "name", "event"].iter().find_map(|key| fields.get(*key)?.as_str()).unwrap_or("event").to_owned();
    draft.note(&kind, &Value::Object(fields));
}

fn score(draft: &mut Draft, fields: Map<String, Value>) {
    times(draft, &fields);
    if let Some(verdict) = own::<Verdict>(&fields) {
        return draft.record(verdict);
    }
    let number = ["reward", "score", "value"].iter().find_map(|key| fields.get(*key)?.as_f64());
    if let Some(number) = number {
        let reason = fields.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned();
        draft.reward(number, &reason);
    }
    draft.note("score", &Value::Object(fields));
}
