//! OpenTelemetry spans in the words of the semantic conventions for generative AI: one trace for an episode and its sub-agents.
//!
//! Sources: OTLP/JSON (<https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>: ids in hexadecimal, 64-bit integers as text, kinds and codes as
//! numbers), the file exporter (one `TracesData` a line), the conventions' pages on spans, agent spans and events
//! (<https://github.com/open-telemetry/semantic-conventions-genai>, still in development), of which cost has no word: such fields begin with `assay.`.
//!
//! Invariants: ids are digests of the trajectory's id and the record's place, so the same file gives the same spans; what was said is in them only on
//! request, as the conventions want it; what is unknown is left out.

use super::dollars;
use crate::digest::Digest;
use crate::event::{CodeCell, Event, EventKind, ModelCall, ToolRun, Usage};
use crate::identifier::TrajectoryId;
use crate::message::{Message, Part, Role};
use crate::stats::{Stats, stats};
use crate::trajectory::{Record, Trajectory};
use assay_model::{Nanos, Time};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Span kinds and status codes, by OTLP's numbers.
const INTERNAL: u8 = 1;
const CLIENT: u8 = 3;
const ERROR: u8 = 2;
/// Ancestors that are looked for: sub-agents are eight levels deep at most.
const ANCESTORS_MAX: usize = 64;

/// Who sent whom: the parent of each trajectory that has one.
pub type Parents = BTreeMap<TrajectoryId, TrajectoryId>;

/// The spans of a trajectory: one `TracesData`. `parents` tells which trajectories belong to one trace; `with_content` adds what was said.
#[must_use]
pub fn otel(trajectory: &Trajectory, parents: &Parents, with_content: bool) -> Value {
    let metadata = trajectory.metadata();
    let trace = trace_id(&metadata.id, parents);
    let mut spans = Spans {
        trace,
        id: &metadata.id,
        root: span_id(&metadata.id, 0),
        with_content,
        spans: Vec::new(),
        events: Vec::new(),
    };
    let mut end = metadata.started_at;
    let mut said = None;
    for (place, record) in trajectory.records().iter().enumerate() {
        match record {
            Record::Message(message) if message.role() == Role::Assistant => said = Some(message),
            Record::Message(_) => {}
            Record::Event(event) => {
                end = end.max(event.at);
                spans.event(place + 1, event, said);
                if matches!(event.kind, EventKind::ModelCall(_)) {
                    said = None;
                }
            }
            Record::Verdict(verdict) => {
                end = end.max(verdict.at());
                let mut fields = vec![
                    text("gen_ai.evaluation.name", verdict.scorer()),
                    text("gen_ai.evaluation.score.label", verdict.outcome().map_or("unscored", crate::Outcome::name)),
                    text("gen_ai.evaluation.explanation", verdict.reason()),
                ];
                fields.extend(verdict.reward().map(|reward| double("gen_ai.evaluation.score.value", reward)));
                spans.point(verdict.at(), "gen_ai.evaluation.result", &fields);
            }
        }
    }
    let root = root(trajectory, &spans, end, parents);
    let resource = json!({"attributes": [text("service.name", &metadata.agent)]});
    let version = metadata.versions.get("assay").map_or("unknown", String::as_str);
    let scope = json!({"name": "assay", "version": version});
    let all: Vec<Value> = std::iter::once(root).chain(spans.spans).collect();
    json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": all}]}]})
}

fn root(trajectory: &Trajectory, spans: &Spans<'_>, end: Time, parents: &Parents) -> Value {
    let metadata = trajectory.metadata();
    let figures: Stats = stats(trajectory);
    let mut attributes = vec![
        text("gen_ai.operation.name", "invoke_agent"),
        text("gen_ai.agent.name", &metadata.agent),
        text("gen_ai.agent.id", metadata.id.as_str()),
        text("gen_ai.conversation.id", metadata.id.as_str()),
        text("gen_ai.provider.name", provider(&metadata.model).0),
        text("gen_ai.request.model", provider(&metadata.model).1),
        text("assay.scenario", &metadata.scenario),
        number("assay.attempt", u64::from(metadata.attempt)),
        text("assay.seed", &metadata.seed.0.to_string()),
    ];
    attributes.extend(metadata.run.as_ref().map(|run| text("assay.run", run)));
    attributes.extend(figures.tokens.total().into_iter().flat_map(|usage| usage_of(&usage)));
    attributes.extend(figures.cost_microdollars.total().map(|cost| double("assay.cost_usd", dollars(cost))));
    attributes.extend(figures.outcome.map(|outcome| text("assay.outcome", outcome)));
    attributes.extend(figures.reward.map(|reward| double("assay.reward", reward)));
    let mut span = json!({
        "traceId": spans.trace,
        "spanId": spans.root,
        "name": format!("invoke_agent {}", metadata.agent),
        "kind": INTERNAL,
        "startTimeUnixNano": metadata.started_at.0.to_string(),
        "endTimeUnixNano": end.0.to_string(),
        "attributes": attributes,
        "events": spans.events,
    });
    if let Some(parent) = parents.get(&metadata.id) {
        span["parentSpanId"] = span_id(parent, 0).into();
    }
    span
}

/// The spans so far, and the events of the whole.
struct Spans<'a> {
    trace: String,
    id: &'a TrajectoryId,
    root: String,
    with_content: bool,
    spans: Vec<Value>,
    events: Vec<Value>,
}

impl Spans<'_> {
    fn event(&mut self, place: usize, event: &Event, said: Option<&Message>) {
        match &event.kind {
            EventKind::ModelCall(call) => self.model_call(place, event.at, call, said),
            EventKind::ToolRun(run) => self.tool_run(place, event.at, run),
            EventKind::CodeCell(cell) => self.code_cell(place, event.at, cell),
            EventKind::Flag(flag) => {
                let fields = vec![text("assay.flag.name", &flag.name), text("assay.flag.detail", &flag.detail)];
                self.point(event.at, "assay.flag", &fields);
            }
            EventKind::LimitReached(reached) => {
                let limit = serde_json::to_value(reached.limit).unwrap_or_default();
                let fields = vec![
                    text("assay.limit.name", limit.as_str().unwrap_or_default()),
                    number("assay.limit.allowed", reached.allowed),
                    number("assay.limit.used", reached.used),
                ];
                self.point(event.at, "assay.limit_reached", &fields);
            }
            _ => {}
        }
    }

    fn model_call(&mut self, place: usize, at: Time, call: &ModelCall, said: Option<&Message>) {
        let (provider, model) = provider(&call.model);
        let mut attributes = vec![
            text("gen_ai.operation.name", "chat"),
            text("gen_ai.provider.name", provider),
            text("gen_ai.request.model", model),
            text("gen_ai.conversation.id", self.id.as_str()),
        ];
        attributes.extend(call.usage.iter().flat_map(usage_of));
        let reason = call.stop_reason.as_ref().map(|reason| json!([{ "stringValue": reason }]));
        attributes.extend(reason.map(
            |reasons| json!({"key": "gen_ai.response.finish_reasons", "value": {"arrayValue": {"values": reasons}}}),
        ));
        attributes.extend(call.cost_microdollars.map(|cost| double("assay.cost_usd", dollars(cost))));
        attributes.extend((call.retries > 0).then(|| number("assay.retries", u64::from(call.retries))));
        if self.with_content && call.error.is_none() {
            attributes.extend(said.map(|message| text("gen_ai.output.messages", &said_by(message).to_string())));
        }
        self.span(place, &format!("chat {model}"), CLIENT, (at, call.latency), attributes, call.error.as_deref());
    }

    fn tool_run(&mut self, place: usize, at: Time, run: &ToolRun) {
        let mut attributes = vec![
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.tool.name", &run.tool),
            text("gen_ai.tool.type", "function"),
        ];
        attributes.extend(run.call_id.as_ref().map(|id| text("gen_ai.tool.call.id", id.as_str())));
        let name = format!("execute_tool {}", run.tool);
        self.span(place, &name, INTERNAL, (at, run.latency), attributes, run.error.as_deref());
    }

    fn code_cell(&mut self, place: usize, at: Time, cell: &CodeCell) {
        let mut attributes = vec![
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.tool.name", &cell.language),
            text("gen_ai.tool.type", "extension"),
        ];
        attributes.extend(cell.call_id.as_ref().map(|id| text("gen_ai.tool.call.id", id.as_str())));
        if self.with_content {
            attributes.push(text("gen_ai.tool.call.arguments", &json!({ "code": cell.source }).to_string()));
            attributes.push(text("gen_ai.tool.call.result", &format!("{}{}", cell.stdout, cell.stderr)));
        }
        let name = format!("execute_tool {}", cell.language);
        self.span(place, &name, INTERNAL, (at, cell.latency), attributes, cell.error.as_deref());
    }

    fn span(
        &mut self,
        place: usize,
        name: &str,
        kind: u8,
        (end, length): (Time, Nanos),
        mut attributes: Vec<Value>,
        error: Option<&str>,
    ) {
        // There is a class of errors in a text at best: what comes before its colon.
        attributes.extend(error.map(|error| text("error.type", error.split(':').next().unwrap_or("_OTHER").trim())));
        let mut span = json!({
            "traceId": self.trace,
            "spanId": span_id(self.id, place),
            "parentSpanId": self.root,
            "name": name,
            "kind": kind,
            "startTimeUnixNano": end.0.saturating_sub(length.0).to_string(),
            "endTimeUnixNano": end.0.to_string(),
            "attributes": attributes,
        });
        if let Some(error) = error {
            span["status"] = json!({"code": ERROR, "message": error});
        }
        self.spans.push(span);
    }

    fn point(&mut self, at: Time, name: &str, attributes: &[Value]) {
        self.events.push(json!({"timeUnixNano": at.0.to_string(), "name": name, "attributes": attributes}));
    }
}

/// A message in the conventions' form of output messages.
fn said_by(message: &Message) -> Value {
    let parts = message.parts().iter().filter_map(|part| match part {
        Part::Text { text } => Some(json!({"type": "text", "content": text})),
        Part::Reasoning { text, .. } if !text.is_empty() => Some(json!({"type": "reasoning", "content": text})),
        _ => None,
    });
    let calls = message.tool_calls().iter().map(|call| {
        let arguments =
            call.arguments().map_or_else(|| call.arguments_raw().into(), |fields| Value::Object(fields.clone()));
        json!({"type": "tool_call", "id": call.id(), "name": call.tool(), "arguments": arguments})
    });
    json!([{"role": "assistant", "parts": parts.chain(calls).collect::<Vec<_>>()}])
}

/// All input counts as input, cached or not.
fn usage_of(usage: &Usage) -> Vec<Value> {
    vec![
        number("gen_ai.usage.input_tokens", usage.input_total()),
        number("gen_ai.usage.output_tokens", usage.output),
        number("gen_ai.usage.cache_read.input_tokens", usage.cache_read),
        number("gen_ai.usage.cache_creation.input_tokens", usage.cache_write),
        number("gen_ai.usage.reasoning.output_tokens", usage.reasoning),
    ]
}

/// The conventions' name of a model's provider, and the model's own name.
fn provider(model: &str) -> (&str, &str) {
    match model.split_once(':') {
        Some(("gemini", name)) => ("gcp.gemini", name),
        Some((provider, name)) => (provider, name),
        None => match model.split_once('/') {
            Some((provider, _)) => (provider, model),
            None => ("_OTHER", model),
        },
    }
}

/// The trace of a trajectory is named after its first ancestor.
fn trace_id(id: &TrajectoryId, parents: &Parents) -> String {
    let ancestors = std::iter::successors(Some(id), |id| parents.get(*id));
    let first = ancestors.take(ANCESTORS_MAX).last().unwrap_or(id);
    Digest::of(first.as_str().as_bytes()).to_string()[..32].to_owned()
}

/// The span of a record, by its place from 1; 0 is the whole.
fn span_id(id: &TrajectoryId, place: usize) -> String {
    Digest::of(format!("{id}\n{place}").as_bytes()).to_string()[..16].to_owned()
}

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn number(key: &str, value: u64) -> Value {
    // The format's integers have a sign.
    json!({"key": key, "value": {"intValue": i64::try_from(value).unwrap_or(i64::MAX).to_string()}})
}

fn double(key: &str, value: f64) -> Value {
    json!({"key": key, "value": {"doubleValue": value}})
}
