//! Training pairs: one row for each message of the model, with the conversation before it, and with what it thought.
//!
//! The form is that of conversational prompt and completion (TRL's data sets): `{"prompt": […], "completion": [one message], …}`. Only the completion holds a
//! thought: earlier ones are not shown to a model either. The prompt is the whole conversation, and `steps_left_out` says how many of its oldest
//! steps a full context had left out of the request.

use super::chat::{ChatMessage, chat_message};
use crate::event::EventKind;
use crate::message::{Message, Part, Role};
use crate::trajectory::{Record, Trajectory};
use serde::Serialize;
use serde_json::{Map, Value};

/// One pair.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StepRow {
    /// The episode.
    pub episode: String,
    /// Which message of the model, from 1.
    pub step: usize,
    /// The episode's reward, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward: Option<f64>,
    /// What was said before.
    pub prompt: Vec<ChatMessage>,
    /// What the model said then.
    pub completion: [StepCompletion; 1],
    /// The tools that were offered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Map<String, Value>>,
    /// The oldest steps that were no longer in the request.
    #[serde(skip_serializing_if = "is_zero")]
    pub steps_left_out: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives references")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A message of the model with its thought.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StepCompletion {
    /// What it thought, as far as that can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// What it said.
    #[serde(flatten)]
    pub message: ChatMessage,
}

/// The pairs of a trajectory, in order. Each holds the whole conversation before it, so take one at a time.
pub fn step_rows(trajectory: &Trajectory) -> impl Iterator<Item = StepRow> + '_ {
    let metadata = trajectory.metadata();
    let reward = trajectory.verdict().and_then(crate::Verdict::reward);
    let (mut before, mut step, mut left_out) = (Vec::new(), 0, 0);
    trajectory.records().iter().filter_map(move |record| {
        let message = match record {
            Record::Message(message) => message,
            Record::Event(event) => {
                if let EventKind::Other(other) = &event.kind
                    && other.kind() == "context_trimmed"
                    && let Ok(body) = serde_json::from_str::<Value>(other.body())
                {
                    left_out = body.get("steps_left_out").and_then(Value::as_u64).unwrap_or(left_out);
                }
                return None;
            }
            Record::Verdict(_) => return None,
        };
        let said = chat_message(message);
        let row = (message.role() == Role::Assistant).then(|| {
            step += 1;
            StepRow {
                episode: metadata.id.to_string(),
                step,
                reward,
                prompt: before.clone(),
                completion: [StepCompletion { reasoning_content: thought(message), message: said.clone() }],
                tools: metadata.tools.clone(),
                steps_left_out: left_out,
            }
        });
        before.push(said);
        row
    })
}

fn thought(message: &Message) -> Option<String> {
    let thoughts = message.parts().iter().filter_map(|part| match part {
        Part::Reasoning { text, .. } if !text.is_empty() => Some(text.as_str()),
        _ => None,
    });
    let thoughts: Vec<&str> = thoughts.collect();
    (!thoughts.is_empty()).then(|| thoughts.join("\n\n"))
}
