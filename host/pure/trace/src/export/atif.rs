//! ATIF 1.8: one document for a trajectory, with its sub-agents' embedded.
//!
//! One message becomes one step, but for tools' answers, which become results of the step that called. What ATIF has no place for goes
//! into `extra`: signed and redacted reasoning in its order (`parts`), malformed arguments, state hashes, faults, flags and the other
//! events of the step, the score tree, and what is known of the episode. ATIF wants images in files beside the document, so
//! [`Export::images`] has those to be written.

pub use super::atif_schema::{
    ATIF_VERSION, AgentInfo, Call, Content, ContentPart, Document, Extra, FinalMetrics, ImageRef, Metrics, Observation,
    Outcome, Source, Step, SubagentRef,
};
use super::{ExportError, dollars, iso8601};
use crate::digest::Digest;
use crate::event::{Event, EventKind, ModelCall};
use crate::identifier::{CallId, TrajectoryId};
use crate::message::{ImageSource, MediaType, Message, Part, Role};
use crate::stats::{Stats, stats};
use crate::trajectory::{Record, Trajectory};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A document with the files that belong to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Export {
    /// The document.
    pub document: Document,
    /// Images that the document refers to: path relative to the document, and bytes.
    pub images: Images,
}

/// Images by path.
pub type Images = BTreeMap<String, Vec<u8>>;

/// The trajectory as a document. Sub-agents' trajectories are those of `others` whose metadata name this one, or one embedded already,
/// as their parent; the rest of `others` is left out.
///
/// # Errors
/// A trajectory has no message, or two share a name.
pub fn atif(trajectory: &Trajectory, others: &[Trajectory]) -> Result<Export, ExportError> {
    let mut images = Images::new();
    let document = document(trajectory, others, &mut BTreeSet::new(), &mut images)?;
    Ok(Export { document, images })
}

fn document<'a>(
    trajectory: &'a Trajectory,
    others: &'a [Trajectory],
    seen: &mut BTreeSet<&'a TrajectoryId>,
    images: &mut Images,
) -> Result<Document, ExportError> {
    let metadata = trajectory.metadata();
    // Also ends the descent where trajectories claim to be each other's parents.
    if !seen.insert(&metadata.id) {
        return Err(ExportError::DuplicateTrajectory { id: metadata.id.clone() });
    }
    let is_child = |other: &&Trajectory| {
        other.metadata().parent.as_ref().is_some_and(|parent| parent.trajectory_id == metadata.id)
    };
    let mut builder = Builder::default();
    for record in trajectory.records() {
        builder.take(record, &metadata.model);
    }
    let Builder { steps, extra, images: own_images, .. } = builder;
    images.extend(own_images);
    if steps.is_empty() {
        return Err(ExportError::NoMessage { id: metadata.id.clone() });
    }
    let figures = stats(trajectory);
    Ok(Document {
        schema_version: ATIF_VERSION.to_owned(),
        session_id: metadata.run.clone(),
        trajectory_id: Some(metadata.id.to_string()),
        agent: AgentInfo {
            name: metadata.agent.clone(),
            version: metadata.versions.get("agent").cloned().unwrap_or_else(|| "unknown".to_owned()),
            model_name: Some(metadata.model.clone()),
            tool_definitions: metadata.tools.clone(),
            extra: Extra::new(),
        },
        final_metrics: Some(final_metrics(&figures, steps.len())),
        steps,
        extra: document_extra(trajectory, extra),
        subagent_trajectories: others
            .iter()
            .filter(is_child)
            .map(|other| document(other, others, seen, images))
            .collect::<Result<_, _>>()?,
    })
}

fn document_extra(trajectory: &Trajectory, mut extra: Extra) -> Extra {
    let metadata = trajectory.metadata();
    put(&mut extra, "scenario", &metadata.scenario);
    put(&mut extra, "attempt", metadata.attempt);
    put(&mut extra, "seed", metadata.seed);
    put(&mut extra, "started_at", iso8601(metadata.started_at));
    put(&mut extra, "versions", &metadata.versions);
    put(&mut extra, "hashes", &metadata.hashes);
    put(&mut extra, "limits", &metadata.limits);
    put(&mut extra, "tags", &metadata.tags);
    put(&mut extra, "meta", &metadata.meta);
    if let Some(verdict) = trajectory.verdict() {
        put(&mut extra, "verdict", verdict);
        put(&mut extra, "reward", verdict.reward());
    }
    extra
}

/// Adds a field unless it says nothing.
fn put(extra: &mut Extra, name: &str, value: impl Serialize) {
    // What is put here has text keys and finite numbers, so it has a JSON form.
    let value = serde_json::to_value(value).unwrap_or(Value::Null);
    let says_nothing = match &value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    if !says_nothing {
        extra.insert(name.to_owned(), value);
    }
}

/// Adds an item to a list of that name.
fn put_into(extra: &mut Extra, list: &str, item: impl Serialize) {
    let item = serde_json::to_value(item).unwrap_or(Value::Null);
    match extra.get_mut(list) {
        Some(Value::Array(items)) => items.push(item),
        _ => drop(extra.insert(list.to_owned(), Value::Array(vec![item]))),
    }
}

#[derive(Default)]
struct Builder {
    steps: Vec<Step>,
    /// The place of the step that made each call.
    callers: BTreeMap<CallId, usize>,
    /// The place of the last agent step.
    agent: Option<usize>,
    /// Events before the first step.
    extra: Extra,
    images: Images,
}

impl Builder {
    fn take(&mut self, record: &Record, default_model: &str) {
        match record {
            Record::Message(message) => self.take_message(message),
            Record::Event(event) => self.take_event(event, default_model),
            // The last verdict stands at the document, earlier ones have been replaced by it.
            Record::Verdict(_) => {}
        }
    }

    fn take_message(&mut self, message: &Message) {
        if let Some(call_id) = message.answers() {
            return self.take_answer(message, call_id);
        }
        let place = self.steps.len();
        let source = match message.role() {
            Role::System | Role::Tool => Source::System,
            Role::User => Source::User,
            Role::Assistant => Source::Agent,
        };
        let mut step = new_step(place, source, self.content(message));
        put(&mut step.extra, "message_id", message.id());
        put(&mut step.extra, "meta", message.meta());
        if source == Source::Agent {
            self.agent = Some(place);
            let thoughts = message.parts().iter().filter_map(|part| match part {
                Part::Reasoning { text, .. } => Some(text.as_str()),
                _ => None,
            });
            let thoughts: Vec<_> = thoughts.collect();
            step.reasoning_content = (!thoughts.is_empty()).then(|| thoughts.join("\n\n"));
            let reasons = |part: &Part| matches!(part, Part::Reasoning { .. } | Part::RedactedReasoning { .. });
            if message.parts().iter().any(reasons) {
                put(&mut step.extra, "parts", message.parts());
            }
            for call in message.tool_calls() {
                self.callers.insert(call.id().clone(), place);
                let mut extra = Map::from_iter([("arguments_raw".to_owned(), Value::from(call.arguments_raw()))]);
                put(&mut extra, "parse_error", call.parse_error());
                step.tool_calls.push(Call {
                    tool_call_id: call.id().to_string(),
                    function_name: call.tool().to_owned(),
                    arguments: call.arguments().cloned().unwrap_or_default(),
                    extra,
                });
            }
        }
        self.steps.push(step);
    }

    fn take_answer(&mut self, message: &Message, call_id: &CallId) {
        let mut extra = Extra::new();
        put(&mut extra, "message_id", message.id());
        put(&mut extra, "meta", message.meta());
        let content = Some(self.content(message));
        match self.callers.get(call_id) {
            Some(caller) => {
                let source_call_id = Some(call_id.to_string());
                self.observe(*caller, Outcome { source_call_id, content, subagent_trajectory_ref: Vec::new(), extra });
            }
            // ATIF has no place for an answer to a call that is not there, so the environment says it.
            None => {
                put(&mut extra, "tool_call_id", call_id);
                let place = self.steps.len();
                self.steps.push(new_step(place, Source::System, Content::Text(String::new())));
                self.observe(
                    place,
                    Outcome { source_call_id: None, content, subagent_trajectory_ref: Vec::new(), extra },
                );
            }
        }
    }

    fn content(&mut self, message: &Message) -> Content {
        let has_image = message.parts().iter().any(|part| matches!(part, Part::Image { .. }));
        if !has_image {
            return Content::Text(message.text());
        }
        let parts = message.parts().iter().filter_map(|part| match part {
            Part::Text { text } => Some(ContentPart::Text { text: text.clone() }),
            Part::Image { media_type, source } => Some(ContentPart::Image { source: self.image(*media_type, source) }),
            Part::Reasoning { .. } | Part::RedactedReasoning { .. } => None,
        });
        Content::Parts(parts.collect())
    }

    fn image(&mut self, media_type: MediaType, source: &ImageSource) -> ImageRef {
        let path = match source {
            ImageSource::Url(url) => url.clone(),
            ImageSource::Data(base64) => {
                let bytes = base64.to_bytes();
                // Named by content, so that an image that is shown often is stored once.
                let path = format!("images/{}.{}", Digest::of(&bytes), media_type.extension());
                self.images.insert(path.clone(), bytes);
                path
            }
        };
        ImageRef { media_type: media_type.name().to_owned(), path }
    }

    fn observe(&mut self, place: usize, outcome: Outcome) {
        let observation = self.steps[place].observation.get_or_insert_with(|| Observation { results: Vec::new() });
        observation.results.push(outcome);
    }

    fn take_event(&mut self, event: &Event, default_model: &str) {
        match (&event.kind, self.agent) {
            (EventKind::ModelCall(call), Some(place)) => {
                let step = &mut self.steps[place];
                step.timestamp.get_or_insert_with(|| iso8601(event.at));
                count_call(step, call, default_model);
            }
            (EventKind::CodeCell(cell), Some(place)) if cell.call_id.is_none() => {
                let output = [Some(&cell.stdout), Some(&cell.stderr), cell.error.as_ref()];
                let output: Vec<_> =
                    output.into_iter().flatten().map(String::as_str).filter(|t| !t.is_empty()).collect();
                let mut extra = Extra::new();
                put(&mut extra, "code_cell", event);
                let content = Some(Content::Text(output.join("\n")));
                self.observe(
                    place,
                    Outcome { source_call_id: None, content, subagent_trajectory_ref: Vec::new(), extra },
                );
            }
            (EventKind::SubAgent(sub), Some(place)) => {
                let subagent_trajectory_ref = vec![SubagentRef { trajectory_id: sub.trajectory_id.to_string() }];
                let called_here = |call: &&CallId| self.callers.get(*call) == Some(&place);
                let source_call_id = sub.call_id.as_ref().filter(called_here).map(ToString::to_string);
                let extra = Extra::new();
                self.observe(place, Outcome { source_call_id, content: None, subagent_trajectory_ref, extra });
            }
            (kind, _) => {
                let extra = self.steps.last_mut().map_or(&mut self.extra, |step| &mut step.extra);
                let list = match kind {
                    EventKind::State(_) => "state_hashes",
                    EventKind::World(world) if world.fault => "faults",
                    EventKind::Flag(_) => "flags",
                    _ => "events",
                };
                put_into(extra, list, event.to_value());
            }
        }
    }
}

fn new_step(place: usize, source: Source, message: Content) -> Step {
    Step {
        step_id: place + 1,
        timestamp: None,
        source,
        model_name: None,
        message,
        reasoning_content: None,
        tool_calls: Vec::new(),
        observation: None,
        metrics: None,
        llm_call_count: None,
        extra: Extra::new(),
    }
}

/// Adds a model call to a step's metrics. A sum with an unknown term is unknown: it is left out.
fn count_call(step: &mut Step, call: &ModelCall, default_model: &str) {
    let calls = step.llm_call_count.get_or_insert(0);
    *calls += 1;
    let first = *calls == 1;
    if first && call.model != default_model {
        step.model_name = Some(call.model.clone());
    }
    let metrics = step.metrics.get_or_insert(Metrics {
        prompt_tokens: Some(0),
        completion_tokens: Some(0),
        cached_tokens: Some(0),
        cost_usd: Some(0.0),
        extra: Extra::new(),
    });
    let add =
        |sum: &mut Option<u64>, term: Option<u64>| *sum = sum.zip(term).map(|(sum, term)| sum.saturating_add(term));
    add(&mut metrics.prompt_tokens, call.usage.map(|usage| usage.input_total()));
    add(&mut metrics.completion_tokens, call.usage.map(|usage| usage.output));
    add(&mut metrics.cached_tokens, call.usage.map(|usage| usage.cache_read));
    metrics.cost_usd = metrics.cost_usd.zip(call.cost_microdollars).map(|(sum, cost)| sum + dollars(cost));
    put_into(&mut metrics.extra, "model_calls", call);
}

fn final_metrics(stats: &Stats, steps: usize) -> FinalMetrics {
    let tokens = stats.tokens.total();
    let mut extra = Extra::new();
    put(&mut extra, "total_reasoning_tokens", tokens.map(|usage| usage.reasoning));
    put(&mut extra, "known_cost_usd", dollars(stats.cost_microdollars.known));
    put(&mut extra, "calls_of_unknown_cost", json!(stats.cost_microdollars.unknown));
    FinalMetrics {
        total_prompt_tokens: tokens.map(|usage| usage.input_total()),
        total_completion_tokens: tokens.map(|usage| usage.output),
        total_cached_tokens: tokens.map(|usage| usage.cache_read),
        total_cost_usd: stats.cost_microdollars.total().map(dollars),
        total_steps: Some(steps),
        extra,
    }
}
