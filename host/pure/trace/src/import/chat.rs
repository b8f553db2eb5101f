//! Chat rows, and what rows and documents say of a whole episode: model, task, agent, seed, tools, times.

use super::draft::{Draft, UNKNOWN};
use super::message::take_text;
use super::time::time;
use super::{ImportError, damaged};
use crate::trajectory::Trajectory;
use assay_model::Seed;
use serde_json::{Map, Value};

/// A chat row: the messages, and what else the row has.
pub(super) fn chat_row(name: &str, messages: Value, mut fields: Map<String, Value>) -> Result<Trajectory, ImportError> {
    let mut draft = Draft::new(name, "chat");
    for key in ["trajectory_id", "id", "instance_id"] {
        if let Some(Value::String(id)) = fields.get(key) {
            draft.rename(id);
            break;
        }
    }
    about(&mut draft, &mut fields);
    let Value::Array(items) = messages else { return Err(damaged("key `messages`", "it is not a list")) };
    for (place, item) in items.into_iter().enumerate() {
        let place = format!("message {}", place + 1);
        let Value::Object(message) = item else { return Err(damaged(place, "it is not an object")) };
        draft.message(message).map_err(|why| damaged(place, why))?;
    }
    if let Some(reward) = ["reward", "score"].iter().find_map(|key| fields.get(*key)?.as_f64()) {
        draft.reward(reward, "");
    }
    draft.keep(fields);
    Ok(draft.finish())
}

/// What fields of many names say of a whole trajectory: model, task, agent, seed, tools.
pub(super) fn about(draft: &mut Draft, fields: &mut Map<String, Value>) {
    let mut text = |keys: &[&str]| keys.iter().find_map(|key| take_text(fields, key));
    let model = text(&["model", "model_name"]);
    let scenario = text(&["scenario", "task", "instance_id"]);
    let agent = text(&["agent"]);
    let run = text(&["run", "run_id", "session_id"]);
    draft.metadata.model = model.unwrap_or_else(|| UNKNOWN.to_owned());
    draft.metadata.scenario = scenario.unwrap_or_else(|| UNKNOWN.to_owned());
    draft.metadata.agent = agent.unwrap_or_else(|| UNKNOWN.to_owned());
    draft.metadata.run = run;
    if let Some(seed) = fields.get("seed").and_then(Value::as_u64) {
        draft.metadata.seed = Seed(seed);
        fields.remove("seed");
    }
    if let Some(tools) = fields.get("tools").and_then(|tools| serde_json::from_value(tools.clone()).ok()) {
        draft.metadata.tools = tools;
        fields.remove("tools");
    }
    for key in ["started_at_ns", "started_at", "created_at", "timestamp"] {
        if fields.get(key).and_then(time).is_some() {
            let value = fields.remove(key);
            draft.at(value.as_ref());
        }
    }
}
