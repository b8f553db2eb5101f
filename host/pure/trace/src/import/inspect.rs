//! Inspect logs (`EvalLog` version 2 as JSON): each sample is a trajectory.
//!
//! A sample has its messages, and events of which those of kind `model` say what an answer cost. Their inputs repeat the messages, so of them only the
//! rest is kept; other events are kept whole.

use super::chat::about;
use super::draft::Draft;
use super::message::take_text;
use super::{DAMAGED_MAX, Taken, damaged};
use crate::event::Usage;
use crate::score::ScoreNode;
use crate::trajectory::Trajectory;
use crate::verdict::{Outcome, Verdict};
use assay_model::{Nanos, Time};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

type Fields = Map<String, Value>;

/// The log's samples.
pub(super) fn take(name: &str, mut log: Fields, taken: &mut Taken) {
    let eval = log.get("eval").cloned().unwrap_or_default();
    let Some(Value::Array(samples)) = log.remove("samples") else { return };
    for (place, sample) in samples.into_iter().enumerate() {
        if taken.damaged.len() >= DAMAGED_MAX {
            break;
        }
        let place = place + 1;
        let made = match sample {
            Value::Object(sample) => one(&format!("{name}.{place}"), &eval, sample),
            _ => Err("it is not an object".to_owned()),
        };
        match made {
            Ok(trajectory) => taken.made.push(trajectory),
            Err(why) => taken.damaged.push(damaged(format!("sample {place}"), why)),
        }
    }
}

fn one(name: &str, eval: &Value, mut sample: Fields) -> Result<Trajectory, String> {
    let mut draft = Draft::new(name, "inspect");
    let mut metadata = match sample.remove("metadata") {
        Some(Value::Object(metadata)) => metadata,
        _ => Fields::new(),
    };
    about(&mut draft, &mut metadata);
    restore(&mut draft, &mut metadata);
    let text = |key: &str| eval.get(key).and_then(Value::as_str);
    if let Some(model) = text("model") {
        draft.metadata.model = model.to_owned();
    }
    draft.metadata.run = text("run_id").map(str::to_owned);
    if let Some(agent) = eval.get("metadata").and_then(|metadata| metadata.get("agent")?.as_str()) {
        draft.metadata.agent = agent.to_owned();
    }
    match sample.remove("id") {
        Some(Value::String(id)) => draft.metadata.scenario = id,
        Some(id) => draft.metadata.scenario = id.to_string(),
        None => {}
    }
    if let Some(uuid) = take_text(&mut sample, "uuid") {
        draft.rename(&uuid);
    }
    let started = sample.remove("started_at");
    draft.at(started.as_ref().or(eval.get("created")));
    let Some(Value::Array(messages)) = sample.remove("messages") else {
        return Err("`messages` is not a list".to_owned());
    };
    let mut calls = take_events(&mut sample);
    for (place, message) in messages.into_iter().enumerate() {
        let Value::Object(message) = message else { return Err(format!("message {} is not an object", place + 1)) };
        let id = message.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        draft.message(message).map_err(|why| format!("message {}: {why}", place + 1))?;
        if let Some(call) = calls.by_message.remove(&id) {
            draft.at(call.at.as_ref());
            draft.model_call(call.usage, call.cost, call.latency);
        }
    }
    for (kind, event) in calls.others {
        draft.at(event.get("timestamp"));
        draft.note(&format!("inspect_{kind}"), &event);
    }
    draft.at(sample.get("completed_at"));
    scores(&mut draft, &mut sample);
    // They repeat the messages and the events.
    for key in ["input", "events_data", "output"] {
        sample.remove(key);
    }
    draft.keep(metadata);
    draft.keep(sample);
    Ok(draft.finish())
}

/// What our own export puts among a sample's metadata.
fn restore(draft: &mut Draft, fields: &mut Fields) {
    let metadata = &mut draft.metadata;
    let attempt = fields.remove("attempt").and_then(|value| value.as_u64()?.try_into().ok());
    metadata.attempt = attempt.unwrap_or(1);
    for (key, map) in [("versions", &mut metadata.versions), ("hashes", &mut metadata.hashes)] {
        if let Some(found) = fields.get(key).and_then(|value| serde_json::from_value(value.clone()).ok()) {
            *map = found;
            fields.remove(key);
        }
    }
    if let Some(limits) = fields.get("limits").and_then(|value| serde_json::from_value(value.clone()).ok()) {
        metadata.limits = limits;
        fields.remove("limits");
    }
    if let Some(Value::Object(meta)) = fields.remove("meta") {
        metadata.meta.extend(meta);
    }
}

/// What a model call used.
struct Called {
    at: Option<Value>,
    usage: Option<Usage>,
    cost: Option<f64>,
    latency: Nanos,
}

#[derive(Default)]
struct Events {
    by_message: BTreeMap<String, Called>,
    /// By kind.
    others: Vec<(String, Value)>,
}

fn take_events(sample: &mut Fields) -> Events {
    let mut events = Events::default();
    let items = match sample.remove("events") {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    for mut item in items {
        let kind = item.get("event").and_then(Value::as_str).unwrap_or("event").to_owned();
        let answer = item.pointer("/output/choices/0/message/id").and_then(Value::as_str).map(str::to_owned);
        match answer.filter(|_| kind == "model") {
            Some(id) => drop(events.by_message.insert(id, called(&item))),
            None => {
                if let Some(fields) = item.as_object_mut() {
                    for key in ["input", "call"] {
                        fields.remove(key);
                    }
                }
                events.others.push((kind, item));
            }
        }
    }
    events
}

fn called(event: &Value) -> Called {
    let usage = event.pointer("/output/usage");
    let count = |key: &str| usage.and_then(|usage| usage.get(key)?.as_u64());
    let known = count("input_tokens").zip(count("output_tokens")).map(|(input, output)| Usage {
        input,
        output,
        cache_read: count("input_tokens_cache_read").unwrap_or(0),
        cache_write: count("input_tokens_cache_write").unwrap_or(0),
        reasoning: count("reasoning_tokens").unwrap_or(0),
    });
    let seconds = event.get("working_time").or_else(|| event.pointer("/output/time")).and_then(Value::as_f64);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    let latency = seconds.filter(|seconds| (0.0..1e9).contains(seconds)).map_or(0, |seconds| (seconds * 1e9) as u64);
    let cost = usage.and_then(|usage| usage.get("total_cost")?.as_f64());
    Called {
        at: event.get("completed").or_else(|| event.get("timestamp")).cloned(),
        usage: known,
        cost,
        latency: Nanos(latency),
    }
}

/// The score that counts: ours where there is one, else the only one, or the first by name. All are kept.
fn scores(draft: &mut Draft, sample: &mut Fields) {
    let Some(Value::Object(scores)) = sample.get("scores") else {
        let error = sample.get("error").and_then(|error| error.get("message")?.as_str()).map(str::to_owned);
        if let Some(why) = error.filter(|why| !why.is_empty()) {
            draft.unscored(why.strip_prefix("unscored: ").unwrap_or(&why));
        }
        return;
    };
    let ours = scores.get("assay").and_then(|score| own_verdict(draft.metadata.started_at, score));
    let first = scores.get("assay").or_else(|| scores.values().next()).cloned();
    if let Some(verdict) = ours {
        draft.record(verdict);
        sample.remove("scores");
        return;
    }
    let Some(score) = first else { return };
    let reason = score.get("explanation").and_then(Value::as_str).unwrap_or_default();
    // Inspect's letters: correct, partial, incorrect, no answer.
    let number = match score.get("value") {
        Some(Value::String(letter)) => match letter.as_str() {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            _ => None,
        },
        Some(Value::Bool(is_right)) => Some(if *is_right { 1.0 } else { 0.0 }),
        Some(value) => value.as_f64(),
        None => None,
    };
    if let Some(number) = number {
        draft.reward(number, reason);
    }
}

/// The verdict that our own export wrote into a score.
fn own_verdict(at: Time, score: &Value) -> Option<Verdict> {
    let outcome = match score.get("answer")?.as_str()? {
        "success" => Outcome::Success,
        "failure" => Outcome::Failure,
        "timeout" => Outcome::Timeout,
        "safety_violation" => Outcome::SafetyViolation,
        _ => return None,
    };
    let metadata = score.get("metadata")?;
    let tree: ScoreNode = serde_json::from_value(metadata.get("tree")?.clone()).ok()?;
    Verdict::scored(at, metadata.get("scorer")?.as_str()?, outcome, score.get("explanation")?.as_str()?, tree).ok()
}
