//! ATIF documents (Agent Trajectory Interchange Format, Harbor RFC 0001) of any version 1: what of our own export is in `extra` comes back as it was.

use super::chat::about;
use super::draft::Draft;
use super::message::{Call, Said, read, take_text};
use super::{ImportError, damaged};
use crate::event::{Event, EventKind, ModelCall, SubAgent, Usage};
use crate::identifier::{CallId, TrajectoryId};
use crate::message::{Meta, Part, Role};
use crate::metadata::Parent;
use crate::trajectory::Trajectory;
use crate::verdict::Verdict;
use assay_model::{Nanos, Seed};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

type Fields = Map<String, Value>;

/// The document's trajectory, then those of its sub-agents.
pub(super) fn trajectories(name: &str, document: Fields) -> Result<Vec<Trajectory>, ImportError> {
    let mut made = Vec::new();
    one(name, None, document, &mut made)?;
    Ok(made)
}

fn one(
    name: &str,
    parent: Option<&TrajectoryId>,
    mut document: Fields,
    made: &mut Vec<Trajectory>,
) -> Result<(), ImportError> {
    let mut draft = Draft::new(name, "atif");
    if let Some(id) = take_text(&mut document, "trajectory_id") {
        draft.rename(&id);
    }
    let mut extra = object(&mut document, "extra");
    let agent = object(&mut document, "agent");
    about(&mut draft, &mut extra);
    who(&mut draft, agent);
    draft.metadata.run = take_text(&mut document, "session_id");
    draft.metadata.parent = parent.map(|id| Parent { trajectory_id: id.clone(), call_id: None });
    let Some(Value::Array(steps)) = document.remove("steps") else {
        return Err(damaged("key `steps`", "it is not a list"));
    };
    let verdict = extra.remove("verdict").and_then(|verdict| own::<Verdict>(&verdict));
    let reward = extra.remove("reward").and_then(|reward| reward.as_f64());
    restore(&mut draft, &mut extra);
    for (place, step) in steps.into_iter().enumerate() {
        let place = format!("step {}", place + 1);
        let Value::Object(step) = step else { return Err(damaged(place, "it is not an object")) };
        take_step(&mut draft, step).map_err(|why| damaged(place, why))?;
    }
    match (verdict, reward) {
        (Some(verdict), _) => draft.record(verdict),
        (None, Some(reward)) => draft.reward(reward, ""),
        (None, None) => {}
    }
    let children = document.remove("subagent_trajectories");
    draft.keep(extra);
    draft.keep(document);
    let trajectory = draft.finish();
    let id = trajectory.metadata().id.clone();
    made.push(trajectory);
    let Some(Value::Array(children)) = children else { return Ok(()) };
    for (place, child) in children.into_iter().enumerate() {
        if let Value::Object(child) = child {
            one(&format!("{id}.{}", place + 1), Some(&id), child, made)?;
        }
    }
    Ok(())
}

/// The value in our own form, where it is one.
fn own<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_str(&value.to_string()).ok()
}

/// The object under a key, or an empty one; anything else stays.
fn object(fields: &mut Fields, key: &str) -> Fields {
    match fields.remove(key) {
        Some(Value::Object(object)) => object,
        Some(other) if !other.is_null() => {
            fields.insert(key.to_owned(), other);
            Fields::new()
        }
        _ => Fields::new(),
    }
}

/// Who acted.
fn who(draft: &mut Draft, mut agent: Fields) {
    if let Some(name) = take_text(&mut agent, "name") {
        draft.metadata.agent = name;
    }
    if let Some(model) = take_text(&mut agent, "model_name") {
        draft.metadata.model = model;
    }
    if let Some(version) = take_text(&mut agent, "version") {
        draft.metadata.versions.insert("agent".to_owned(), version);
    }
    if let Some(tools) = agent.get("tool_definitions").and_then(own) {
        draft.metadata.tools = tools;
        agent.remove("tool_definitions");
    }
    if !agent.is_empty() {
        draft.keep(Fields::from_iter([("agent".to_owned(), Value::Object(agent))]));
    }
}

/// What our own export puts beside the steps.
fn restore(draft: &mut Draft, extra: &mut Fields) {
    let metadata = &mut draft.metadata;
    if let Some(attempt) = extra.get("attempt").and_then(own) {
        metadata.attempt = attempt;
        extra.remove("attempt");
    }
    if let Some(seed) = extra.get("seed").and_then(own::<Seed>) {
        metadata.seed = seed;
        extra.remove("seed");
    }
    for (key, map) in [("versions", &mut metadata.versions), ("hashes", &mut metadata.hashes)] {
        if let Some(found) = extra.get(key).and_then(own) {
            *map = found;
            extra.remove(key);
        }
    }
    if let Some(limits) = extra.get("limits").and_then(own) {
        metadata.limits = limits;
        extra.remove("limits");
    }
    if let Some(tags) = extra.get("tags").and_then(own::<Vec<String>>) {
        metadata.tags.extend(tags);
        extra.remove("tags");
    }
    if let Some(Value::Object(meta)) = extra.remove("meta") {
        metadata.meta.extend(meta);
    }
    events(draft, extra);
}

/// Events of ours in a step's `extra`, by the lists that they stand in.
fn events(draft: &mut Draft, extra: &mut Fields) {
    for key in ["state_hashes", "faults", "flags", "events"] {
        let Some(Value::Array(items)) = extra.remove(key) else { continue };
        for item in items {
            match Event::from_value(&item) {
                Some(event) => draft.record(event),
                None => draft.note(key, &item),
            }
        }
    }
}

fn take_step(draft: &mut Draft, mut step: Fields) -> Result<(), String> {
    draft.at(step.get("timestamp"));
    step.remove("step_id");
    let mut extra = object(&mut step, "extra");
    let source = take_text(&mut step, "source").unwrap_or_default();
    let role = match source.as_str() {
        "system" => Role::System,
        "user" => Role::User,
        "agent" => Role::Assistant,
        _ => return Err(format!("the source {source:?} is none of system, user and agent")),
    };
    let mut said = said(role, step.remove("message"))?;
    said.id = take_text(&mut extra, "message_id");
    if let Some(Value::Object(meta)) = extra.remove("meta") {
        said.meta.extend(meta);
    }
    reasoning(&mut said, &mut step, &mut extra);
    for call in list(&mut step, "tool_calls") {
        said.calls.push(call_of(call)?);
    }
    let observation = object(&mut step, "observation");
    let metrics = object(&mut step, "metrics");
    let model = take_text(&mut step, "model_name");
    for key in ["timestamp", "llm_call_count"] {
        step.remove(key);
    }
    said.meta.extend(step.into_iter().filter(|(_, value)| !value.is_null()));
    // An observation of the environment alone stands in a step that says nothing.
    let is_silent = role == Role::System && said.parts.is_empty() && said.meta.is_empty() && !observation.is_empty();
    if !is_silent {
        draft.said(said)?;
    }
    if !metrics.is_empty() {
        model_calls(draft, metrics, model);
    }
    observe(draft, observation)?;
    events(draft, &mut extra);
    if !extra.is_empty() {
        draft.note("atif_extra", &Value::Object(extra));
    }
    Ok(())
}

/// The text or the pieces of a step or an observation.
fn said(role: Role, content: Option<Value>) -> Result<Said, String> {
    read(Fields::from_iter([
        ("role".to_owned(), Value::from(role.name())),
        ("content".to_owned(), content.unwrap_or_default()),
    ]))
}

/// What the agent thought: our own export has all parts in their order.
fn reasoning(said: &mut Said, step: &mut Fields, extra: &mut Fields) {
    let thought = take_text(step, "reasoning_content");
    if let Some(parts) = extra.get("parts").and_then(own::<Vec<Part>>).filter(|_| said.role == Role::Assistant) {
        extra.remove("parts");
        said.parts = parts;
    } else if let (Some(text), Role::Assistant) = (thought, said.role) {
        said.parts.insert(0, Part::Reasoning { text, signature: None });
    }
}

fn list(fields: &mut Fields, key: &str) -> Vec<Value> {
    match fields.remove(key) {
        Some(Value::Array(items)) => items,
        Some(other) if !other.is_null() => {
            fields.insert(key.to_owned(), other);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn call_of(value: Value) -> Result<Call, String> {
    let Value::Object(mut call) = value else { return Err("a tool call is not an object".to_owned()) };
    let mut extra = object(&mut call, "extra");
    let tool = take_text(&mut call, "function_name").ok_or("a tool call has no `function_name`")?;
    let raw = take_text(&mut extra, "arguments_raw");
    let arguments = call.remove("arguments").unwrap_or_default();
    let arguments_raw = raw.unwrap_or_else(|| if arguments.is_null() { String::new() } else { arguments.to_string() });
    Ok(Call { id: take_text(&mut call, "tool_call_id"), tool, arguments_raw })
}

/// What came back to the agent.
fn observe(draft: &mut Draft, mut observation: Fields) -> Result<(), String> {
    for result in list(&mut observation, "results") {
        let Value::Object(mut result) = result else { return Err("a result is not an object".to_owned()) };
        let mut extra = object(&mut result, "extra");
        let id = take_text(&mut result, "source_call_id").or_else(|| take_text(&mut extra, "tool_call_id"));
        for reference in list(&mut result, "subagent_trajectory_ref") {
            let sub = reference.get("trajectory_id").and_then(Value::as_str).and_then(|id| TrajectoryId::new(id).ok());
            let call_id = id.as_deref().and_then(|id| CallId::new(id).ok());
            match sub {
                Some(trajectory_id) => draft.event(EventKind::SubAgent(SubAgent { trajectory_id, call_id })),
                None => draft.note("subagent_trajectory_ref", &reference),
            }
        }
        // A cell of code: its output is in the event.
        if let Some(event) = extra.get("code_cell").and_then(own::<Event>) {
            draft.record(event);
            continue;
        }
        let content = result.remove("content");
        if content.is_none() && id.is_none() {
            continue;
        }
        let mut answer =
            said(Role::Tool, content.clone()).or_else(|_| said(Role::Tool, content.map(|c| c.to_string().into())))?;
        answer.id = take_text(&mut extra, "message_id");
        answer.answers = id;
        if let Some(Value::Object(meta)) = extra.remove("meta") {
            answer.meta.extend(meta);
        }
        answer.meta.extend(Meta::from_iter(extra));
        answer.meta.extend(Meta::from_iter(result));
        if answer.answers.is_none() {
            // No call asked for it: it is what the environment says to the model.
            answer.role = Role::User;
        }
        draft.said(answer)?;
    }
    Ok(())
}

/// What the step's model calls used: our own export lists each.
fn model_calls(draft: &mut Draft, mut metrics: Fields, model: Option<String>) {
    let mut extra = object(&mut metrics, "extra");
    let listed = extra.get("model_calls").and_then(own::<Vec<ModelCall>>);
    if let Some(calls) = listed {
        calls.into_iter().for_each(|call| draft.event(EventKind::ModelCall(call)));
        return;
    }
    let count = |metrics: &mut Fields, key: &str| metrics.remove(key).and_then(|count| count.as_u64());
    let (input, output) = (count(&mut metrics, "prompt_tokens"), count(&mut metrics, "completion_tokens"));
    let cache_read = count(&mut metrics, "cached_tokens").unwrap_or(0);
    let usage = input.zip(output).map(|(input, output)| Usage {
        input: input.saturating_sub(cache_read),
        output,
        cache_read,
        cache_write: 0,
        reasoning: 0,
    });
    let cost = metrics.remove("cost_usd").and_then(|cost| cost.as_f64());
    let before = model.map(|model| std::mem::replace(&mut draft.metadata.model, model));
    draft.model_call(usage, cost, Nanos(0));
    if let Some(before) = before {
        draft.metadata.model = before;
    }
    extra.extend(metrics);
    if !extra.is_empty() {
        draft.note("atif_metrics", &Value::Object(extra));
    }
}
