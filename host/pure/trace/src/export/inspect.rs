//! Inspect logs: an `EvalLog` of version 2, as Inspect AI's JSON log files hold it. One log takes many trajectories: each is a sample.
//!
//! Sample id is the scenario, epoch its count among the trajectories given. The messages of model calls stand once, in the sample's
//! message pool, and calls refer to them, so that a log does not grow with the square of its length. An unscored trajectory is a sample
//! with an error and no score; Inspect then counts it as not scored instead of as 0.

use super::inspect_events::events;
use super::inspect_parts::{Names, SCORER, choice, inspect_limit, inspect_message, limit_text, model_usage, score};
use super::{ExportError, iso8601, seconds};
use crate::Usage;
use crate::event::EventKind;
use crate::message::Role;
use crate::metadata::Metadata;
use crate::stats::Tally;
use crate::trajectory::{Record, Trajectory};
use assay_model::Time;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The version of the log format that is written.
pub const INSPECT_LOG_VERSION: u32 = 2;
/// The trajectories as one log.
///
/// # Errors
/// There are none, or they are of different models.
pub fn inspect_log(trajectories: &[Trajectory]) -> Result<Value, ExportError> {
    let first = trajectories.first().ok_or(ExportError::NoTrajectory)?.metadata();
    if let Some(other) = trajectories.iter().map(Trajectory::metadata).find(|other| other.model != first.model) {
        return Err(ExportError::MixedModels { one: first.model.clone(), other: other.model.clone() });
    }
    let mut epochs: BTreeMap<&str, u32> = BTreeMap::new();
    let samples: Vec<Value> = trajectories
        .iter()
        .map(|trajectory| {
            let epoch = epochs.entry(&trajectory.metadata().scenario).or_default();
            *epoch += 1;
            sample(trajectory, *epoch)
        })
        .collect();
    let started = trajectories.iter().map(|trajectory| trajectory.metadata().started_at).min().unwrap_or_default();
    let ended = trajectories.iter().map(ended_at).max().unwrap_or_default();
    let rewards: Vec<f64> = trajectories.iter().filter_map(|each| each.verdict()?.reward()).collect();
    let status = if rewards.is_empty() { "error" } else { "success" };
    let mut log = json!({
        "version": INSPECT_LOG_VERSION,
        "status": status,
        "eval": eval(first, started, &epochs),
        "plan": {"name": "assay", "steps": [], "config": {}},
        "results": results(trajectories.len(), &rewards),
        "stats": {
            "started_at": iso8601(started),
            "completed_at": iso8601(ended),
            "model_usage": usage_by_model(trajectories),
        },
        "samples": samples,
    });
    if status == "error" {
        log["error"] = error("no sample is scored");
    }
    Ok(log)
}

fn eval(metadata: &Metadata, started: Time, epochs: &BTreeMap<&str, u32>) -> Value {
    let run = metadata.run.clone().unwrap_or_else(|| metadata.id.to_string());
    json!({
        "eval_id": metadata.id,
        "run_id": run,
        "created": iso8601(started),
        "task": run,
        "task_id": run,
        "task_version": 0,
        "dataset": {
            "name": run,
            "samples": epochs.len(),
            "sample_ids": epochs.keys().collect::<Vec<_>>(),
            "shuffled": false,
        },
        "model": metadata.model,
        "config": {"epochs": epochs.values().max()},
        "packages": metadata.versions,
        "metadata": {"agent": metadata.agent},
    })
}

fn results(total: usize, rewards: &[f64]) -> Value {
    let scores = if rewards.is_empty() {
        Vec::new()
    } else {
        let mean = rewards.iter().sum::<f64>() / rewards.len() as f64;
        vec![json!({
            "name": SCORER,
            "scorer": SCORER,
            "scored_samples": rewards.len(),
            "unscored_samples": total - rewards.len(),
            "params": {},
            "metrics": {"mean": {"name": "mean", "value": mean, "params": {}}},
        })]
    };
    json!({"total_samples": total, "completed_samples": rewards.len(), "scores": scores})
}

fn usage_by_model(trajectories: &[Trajectory]) -> Value {
    let mut totals: BTreeMap<&str, (Usage, Tally<u64>)> = BTreeMap::new();
    for event in trajectories.iter().flat_map(Trajectory::events) {
        if let EventKind::ModelCall(call) = &event.kind {
            let (usage, cost) = totals.entry(&call.model).or_default();
            *usage = usage.plus(&call.usage.unwrap_or_default());
            match call.cost_microdollars {
                Some(known) => cost.known = cost.known.saturating_add(known),
                None => cost.unknown += 1,
            }
        }
    }
    let totals = totals.into_iter().map(|(model, (usage, cost))| (model.to_owned(), model_usage(&usage, cost.total())));
    Value::Object(totals.collect())
}

/// When the last thing happened that has a time.
fn ended_at(trajectory: &Trajectory) -> Time {
    let times = trajectory.records().iter().filter_map(|record| match record {
        Record::Message(_) => None,
        Record::Event(event) => Some(event.at),
        Record::Verdict(verdict) => Some(verdict.at()),
    });
    times.chain([trajectory.metadata().started_at]).max().unwrap_or_default()
}

fn sample(trajectory: &Trajectory, epoch: u32) -> Value {
    let metadata = trajectory.metadata();
    let names = Names::of(trajectory);
    let messages: Vec<Value> = trajectory.messages().map(|message| inspect_message(message, &names)).collect();
    let prompt = trajectory.messages().take_while(|message| message.role() != Role::Assistant).count();
    let last_answer = trajectory.messages().filter(|message| message.role() == Role::Assistant).last();
    let total_seconds = seconds(ended_at(trajectory).since(metadata.started_at).0);
    let mut sample = json!({
        "id": metadata.scenario,
        "epoch": epoch,
        "uuid": metadata.id,
        "input": messages[..prompt],
        "target": "",
        "messages": messages,
        "output": {
            "model": metadata.model,
            "choices": last_answer.map(|answer| choice(answer, &names, "stop")).into_iter().collect::<Vec<_>>(),
        },
        "metadata": sample_metadata(metadata),
        "store": {},
        "events": events(trajectory),
        "events_data": {"messages": messages, "calls": []},
        "model_usage": usage_by_model(std::slice::from_ref(trajectory)),
        "started_at": iso8601(metadata.started_at),
        "completed_at": iso8601(ended_at(trajectory)),
        "total_time": total_seconds,
        "attachments": {},
        "turn_count": trajectory.steps(),
    });
    if let Some(verdict) = trajectory.verdict() {
        match verdict.reward() {
            Some(reward) => sample["scores"] = json!({SCORER: score(verdict, reward)}),
            None => sample["error"] = error(&format!("unscored: {}", verdict.reason())),
        }
    }
    let reached = trajectory.events().filter_map(|event| match &event.kind {
        EventKind::LimitReached(reached) => Some(reached),
        _ => None,
    });
    if let Some(reached) = reached.last() {
        let (kind, allowed) = inspect_limit(reached);
        sample["limit"] = json!({"type": kind, "limit": allowed, "reason": limit_text(reached)});
    }
    sample
}

fn sample_metadata(metadata: &Metadata) -> Value {
    json!({
        "seed": metadata.seed,
        "attempt": metadata.attempt,
        "hashes": metadata.hashes,
        "versions": metadata.versions,
        "limits": metadata.limits,
        "tags": metadata.tags,
        "parent": metadata.parent,
        "meta": metadata.meta,
    })
}

fn error(message: &str) -> Value {
    json!({"message": message, "traceback": "", "traceback_ansi": ""})
}
