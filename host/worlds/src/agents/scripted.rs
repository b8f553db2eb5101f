//! An agent that follows a script, for demonstrations, probes and tests.
//!
//! The careful one reads every answer: it waits where it is told to, tries again what was not done or may not have been, adds the arguments that a changed
//! interface asks for, and takes a refusal of a repeated call for the proof that the first one was done. The hasty one goes on whatever the answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_trace::{CallId, Message, Part, Role, ToolCall};
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
    /// Arguments that tools have asked for beside those of the script.
    needed: BTreeMap<String, Map<String, Value>>,
    is_careful: bool,
}

/// What the answer to a call means for the script.
enum Answer {
    Fine,
    TryAgain,
    Wait(u64),
    Add(Map<String, Value>),
}

impl Scripted {
    /// One that reads answers.
    #[must_use]
    pub fn careful(task: Arc<Task>) -> Self {
        Self { task, place: 0, tries: 0, is_out: false, calls: 0, needed: BTreeMap::new(), is_careful: true }
    }

    /// One that does not.
    #[must_use]
    pub fn hasty(task: Arc<Task>) -> Self {
        Self { is_careful: false, ..Self::careful(task) }
    }

    /// Where others have begun, as in a fork: the script goes on behind what was done of it, and the answer to the last call is looked at.
    fn catch_up(&mut self, seen: &Seen) {
        let mut tool = String::new();
        for message in &seen.messages {
            if let (Role::Tool, Answer::Add(needed)) = (message.role(), meaning(&message.text())) {
                self.add(&tool, needed);
            }
            if message.role() != Role::Assistant {
                continue;
            }
            self.calls += u32::try_from(message.tool_calls().len()).unwrap_or(u32::MAX);
            tool = message.tool_calls().first().map(|call| call.tool().to_owned()).unwrap_or_default();
            let is_next = self.task.script().get(self.place).is_some_and(|deed| is_it(deed, message));
            self.place += usize::from(is_next);
            let last = self.place.checked_sub(1).and_then(|place| self.task.script().get(place));
            let was_out = self.is_out;
            self.is_out = last.is_some_and(|deed| matches!(deed, Deed::Call { .. }) && is_it(deed, message));
            // It waited before it would try the last one again.
            self.place -= usize::from(was_out && !self.is_out && tool == "wait");
        }
        if self.is_out {
            self.place -= 1;
            self.tries = 1;
        }
    }

    /// Remembers what a tool wants beside the script's arguments.
    fn add(&mut self, tool: &str, needed: Map<String, Value>) {
        self.needed.entry(tool.to_owned()).or_default().extend(needed);
    }

    fn step(&mut self, seen: &Seen) -> Move {
        if self.calls == 0 && self.place == 0 {
            self.catch_up(seen);
        }
        if std::mem::take(&mut self.is_out) {
            match answer(seen) {
                Answer::Wait(seconds) if self.is_careful && self.tries < TRIES_MAX => {
                    let arguments = [("seconds".to_owned(), Value::from(seconds))].into_iter().collect();
                    return self.call("wait", &arguments);
                }
                Answer::TryAgain if self.is_careful && self.tries < TRIES_MAX => {}
                Answer::Add(needed) if self.is_careful && self.tries < TRIES_MAX => {
                    let deed = self.task.script().get(self.place).cloned();
                    if let Some(Deed::Call { tool, .. }) = deed {
                        self.add(&tool, needed);
                    }
                }
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
        let mut arguments = arguments.clone();
        arguments.extend(self.needed.get(tool).cloned().unwrap_or_default());
        let arguments = Value::Object(arguments).to_string();
        // A word and a number are a valid id.
        let id = CallId::new(format!("call-{}", self.calls));
        let calls = id.into_iter().map(|id| ToolCall::new(id, tool, arguments.clone())).collect();
        Move { calls, ..Move::default() }
    }
}

/// Whether a message does this deed.
fn is_it(deed: &Deed, message: &Message) -> bool {
    match deed {
        Deed::Say(text) => message.tool_calls().is_empty() && message.text() == *text,
        Deed::Call { tool, arguments } => {
            let has_all =
                |given: &Map<String, Value>| arguments.iter().all(|(key, value)| given.get(key) == Some(value));
            message.tool_calls().iter().any(|call| call.tool() == tool && call.arguments().is_some_and(has_all))
        }
    }
}

/// What the newest answer of a tool says.
fn answer(seen: &Seen) -> Answer {
    let newest = seen.messages.iter().rev().find(|message| message.role() == Role::Tool);
    newest.map_or(Answer::Fine, |message| meaning(&message.text()))
}

/// What an answer says. Tools may answer plain text; what is neither that nor JSON is broken.
fn meaning(text: &str) -> Answer {
    let is_broken = text.starts_with('<') || text.ends_with('…');
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return if is_broken { Answer::TryAgain } else { Answer::Fine };
    };
    let Some(error) = value.get("error") else { return Answer::Fine };
    match error.get("type").and_then(Value::as_str) {
        Some("rate_limit") => {
            Answer::Wait(error.get("retry_after_seconds").and_then(Value::as_u64).unwrap_or(60).max(1))
        }
        Some("interface_changed") => {
            Answer::Add(error.get("required").and_then(Value::as_object).cloned().unwrap_or_default())
        }
        Some("unavailable" | "timeout" | "connection" | "conflict") => Answer::TryAgain,
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
