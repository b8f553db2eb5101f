//! A trajectory's events in Inspect's kinds: model, tool, sandbox, sample limit and score; the rest as `info` with our own form as data.

use super::inspect_parts::{Names, SCORER, choice, inspect_limit, limit_text, model_usage, score};
use super::{iso8601, seconds};
use crate::event::{CodeCell, Event, EventKind, ModelCall, ToolRun};
use crate::identifier::CallId;
use crate::message::{Message, Role};
use crate::tool_call::ToolCall;
use crate::trajectory::{Record, Trajectory};
use assay_model::Time;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What has been seen on the way through the records.
struct Progress<'a> {
    names: Names<'a>,
    messages: usize,
    /// The assistant's last message and how many came before it, until a model call claims it.
    unclaimed: Option<(&'a Message, usize)>,
    calls: BTreeMap<&'a CallId, &'a ToolCall>,
    answers: BTreeMap<&'a CallId, &'a Message>,
}

/// All events in order.
pub(super) fn events(trajectory: &Trajectory) -> Vec<Value> {
    let mut progress = Progress {
        names: Names::of(trajectory),
        messages: 0,
        unclaimed: None,
        calls: BTreeMap::new(),
        answers: trajectory.messages().filter_map(|message| Some((message.answers()?, message))).collect(),
    };
    let mut out = Vec::new();
    for (place, record) in trajectory.records().iter().enumerate() {
        match record {
            Record::Message(message) => {
                if message.role() == Role::Assistant {
                    progress.unclaimed = Some((message, progress.messages));
                    progress.calls.extend(message.tool_calls().iter().map(|call| (call.id(), call)));
                }
                progress.messages += 1;
            }
            Record::Event(event) => {
                let (at, mut fields) = progress.event(event);
                frame(&mut fields, trajectory, place, at);
                out.push(fields);
            }
            Record::Verdict(verdict) => {
                // Inspect has no number for what is unscored; the sample's error says why.
                let mut fields = match verdict.reward() {
                    Some(reward) => json!({
                        "event": "score", "score": score(verdict, reward), "scorer": SCORER, "intermediate": false,
                    }),
                    None => json!({"event": "info", "source": "assay", "data": verdict}),
                };
                frame(&mut fields, trajectory, place, verdict.at());
                out.push(fields);
            }
        }
    }
    out
}

/// Adds what every event has. The name is made of the trajectory's and the record's place, so that an export repeats to the byte.
fn frame(fields: &mut Value, trajectory: &Trajectory, place: usize, at: Time) {
    let metadata = trajectory.metadata();
    fields["uuid"] = json!(format!("{}-{place}", metadata.id));
    fields["timestamp"] = json!(iso8601(at));
    fields["working_start"] = json!(seconds(at.since(metadata.started_at).0));
}

impl<'a> Progress<'a> {
    /// When an event began, with its fields. Ours are written when something has ended, Inspect's carry its beginning.
    fn event(&mut self, event: &Event) -> (Time, Value) {
        let began = |latency_ns: u64| Time(event.at.0.saturating_sub(latency_ns));
        match &event.kind {
            EventKind::ModelCall(call) => (began(call.latency.0), self.model_call(event, call)),
            EventKind::ToolRun(run) => (began(run.latency.0), self.tool_run(event, run)),
            EventKind::CodeCell(cell) => (began(cell.latency.0), code_cell(event, cell)),
            EventKind::LimitReached(reached) => {
                let (kind, limit) = inspect_limit(reached);
                let message = limit_text(reached);
                (event.at, json!({"event": "sample_limit", "type": kind, "message": message, "limit": limit}))
            }
            _ => (event.at, json!({"event": "info", "source": "assay", "data": event.to_value()})),
        }
    }

    fn model_call(&mut self, event: &Event, call: &ModelCall) -> Value {
        let stop_reason = match call.stop_reason.as_deref() {
            Some(known @ ("stop" | "max_tokens" | "model_length" | "tool_calls" | "content_filter")) => known,
            Some("end_turn" | "stop_sequence") => "stop",
            Some("tool_use" | "function_call") => "tool_calls",
            Some("length") => "max_tokens",
            _ => "unknown",
        };
        let answer = if call.error.is_none() { self.unclaimed.take() } else { None };
        let input_messages = answer.map_or(self.messages, |(_, before)| before);
        let choices: Vec<_> = answer.map(|(answer, _)| choice(answer, &self.names, stop_reason)).into_iter().collect();
        let mut output = json!({"model": call.model, "choices": choices, "time": seconds(call.latency.0)});
        if let Some(usage) = &call.usage {
            output["usage"] = model_usage(usage, call.cost_microdollars);
        }
        let mut out = json!({
            "event": "model",
            "model": call.model,
            "input": [],
            "input_refs": if input_messages == 0 { json!([]) } else { json!([[0, input_messages]]) },
            "tools": [],
            "tool_choice": "auto",
            "config": {},
            "output": output,
            "retries": call.retries,
            "completed": iso8601(event.at),
            "working_time": seconds(call.latency.0),
        });
        if let Some(error) = &call.error {
            out["error"] = json!(error);
        }
        out
    }

    fn tool_run(&self, event: &Event, run: &ToolRun) -> Value {
        let call = run.call_id.as_ref().and_then(|id| self.calls.get(id));
        let answer = run.call_id.as_ref().and_then(|id| self.answers.get(id));
        let mut out = json!({
            "event": "tool",
            "type": "function",
            "id": run.call_id.as_ref().map_or("", CallId::as_str),
            "function": run.tool,
            "arguments": call.and_then(|call| call.arguments()).cloned().unwrap_or_default(),
            "result": answer.map(|answer| answer.text()).unwrap_or_default(),
            "events": [],
            "completed": iso8601(event.at),
            "working_time": seconds(run.latency.0),
        });
        if let Some(answer) = answer {
            out["message_id"] = json!(answer.id());
        }
        if let Some(error) = &run.error {
            let malformed = call.is_some_and(|call| call.parse_error().is_some());
            out["error"] = json!({"type": if malformed { "parsing" } else { "unknown" }, "message": error});
            out["failed"] = json!(true);
        }
        out
    }
}

fn code_cell(event: &Event, cell: &CodeCell) -> Value {
    let output: String = [&cell.stdout, &cell.stderr].into_iter().chain(&cell.error).map(String::as_str).collect();
    json!({
        "event": "sandbox",
        "action": "exec",
        "cmd": cell.source,
        "options": {"language": cell.language, "fuel": cell.fuel, "dropped_bytes": cell.dropped_bytes},
        "result": i32::from(cell.error.is_some()),
        "output": output,
        "completed": iso8601(event.at),
    })
}
