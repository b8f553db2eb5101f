//! An agent that follows a script, for demonstrations, probes and tests.
//!
//! The careful one reads every answer: it waits where it is told to, tries again what was not done or may not have been, and takes a refusal of a repeated
//! call for the proof that the first one was done. The hasty one goes on whatever the answer.

use std::sync::Arc;

use assay_trace::{CallId, Part, Role, ToolCall};
use assay_world::{Deed, Task};
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::{Agent, AgentError, Move, Seen};

/// Tries of one call. Chance lets at most three fail in a row; a rate limit costs two.
const TRIES_MAX: u32 = 12;

/// See the module documentation.
#[derive(Clone, Debug)]
pub struct Scripted {
    task: Arc<Task>,
    /// The deed that is next, or whose call is out.
    place: usize,
    /// How often that deed's call was made.
    tries: u32,
    /// Whether the newest answer is to that call, and not to a `wait` in between.
    is_out: bool,
    calls: u32,
    is_careful: bool,
}

/// What the answer to a call means for the script.
enum Answer {
    Fine,
    TryAgain,
    Wait(u64),
}

impl Scripted {
    /// One that reads answers.
    #[must_use]
    pub fn careful(task: Arc<Task>) -> Self {
        Self { task, place: 0, tries: 0, is_out: false, calls: 0, is_careful: true }
    }

    /// One that does not.
    #[must_use]
    pub fn hasty(task: Arc<Task>) -> Self {
        Self { is_careful: false, ..Self::careful(task) }
    }

    fn step(&mut self, seen: &Seen) -> Move {
        if std::mem::take(&mut self.is_out) {
            match answer(seen) {
                Answer::Wait(seconds) if self.is_careful && self.tries < TRIES_MAX => {
                    let arguments = [("seconds".to_owned(), Value::from(seconds))].into_iter().collect();
                    return self.call("wait", &arguments);
                }
                Answer::TryAgain if self.is_careful && self.tries < TRIES_MAX => {}
                _ => {
                    self.place += 1;
                    self.tries = 0;
                }
            }
        }
        match self.task.script().get(self.place).cloned() {
            None => Move { stop: true, ..Move::default() },
            Some(Deed::Say(text)) => {
                self.place += 1;
                Move { parts: vec![Part::text(text)], ..Move::default() }
            }
            Some(Deed::Call { tool, arguments }) => {
                self.tries += 1;
                self.is_out = true;
                self.call(&tool, &arguments)
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> Move {
        self.calls += 1;
        let arguments = Value::Object(arguments.clone()).to_string();
        // A word and a number are a valid id.
        let id = CallId::new(format!("call-{}", self.calls));
        let calls = id.into_iter().map(|id| ToolCall::new(id, tool, arguments.clone())).collect();
        Move { calls, ..Move::default() }
    }
}

/// What the newest answer of a tool says.
fn answer(seen: &Seen) -> Answer {
    let newest = seen.messages.iter().rev().find(|message| message.role() == Role::Tool);
    let Some(text) = newest.map(|message| message.text()) else { return Answer::Fine };
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return Answer::TryAgain };
    let Some(error) = value.get("error") else { return Answer::Fine };
    match error.get("type").and_then(Value::as_str) {
        Some("rate_limit") => {
            Answer::Wait(error.get("retry_after_seconds").and_then(Value::as_u64).unwrap_or(60).max(1))
        }
        Some("unavailable" | "timeout") => Answer::TryAgain,
        // Refused at the first try is an answer like another; later it means that it is done already.
        _ => Answer::Fine,
    }
}

impl Agent for Scripted {
    fn next<'a>(&'a mut self, seen: &'a Seen) -> BoxFuture<'a, Result<Move, AgentError>> {
        let act = self.step(seen);
        Box::pin(async move { Ok(act) })
    }
}
