//! Who looks on: a supervisor who may step in, and an observer who may not.

use assay_trace::{Message, Record, Usage};
use futures::future::{BoxFuture, FutureExt as _, ready};
use std::sync::Arc;

/// Somebody who is asked before the loop goes on: the person at `assay rollout debug --interactive`. What it decides is recorded, and an episode
/// in which it did more than look on is flagged `supervised`.
pub trait Supervisor: Send + Sync {
    /// Before the model is asked, with the conversation as it would be sent.
    fn before_request<'a>(&'a self, _step: u32, _conversation: &'a [Arc<Message>]) -> BoxFuture<'a, Decision> {
        ready(Decision::GoOn).boxed()
    }

    /// Before a cell runs.
    fn before_cell<'a>(&'a self, _step: u32, _code: &'a str) -> BoxFuture<'a, Decision> {
        ready(Decision::GoOn).boxed()
    }
}

/// What a supervisor decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// As if nobody were there.
    GoOn,
    /// Before a request: this is the reply, the model is not asked. Before a cell: this code runs instead.
    Replace(String),
    /// Before a request: send this to the model first, as a user's message. Before a cell: send this instead of running it and the reply's other cells.
    Say(String),
    /// End the episode: [`Exit::Cancelled`](crate::Exit::Cancelled).
    Stop,
}

/// Somebody who is told how far the episode is. It must not block.
pub trait Observer: Send + Sync {
    /// Something begins.
    fn progress(&self, _progress: &Progress) {}

    /// The model says this, as a part of its next message.
    fn heard(&self, _text: &str) {}

    /// These records were written.
    fn recorded(&self, _records: &[Record]) {}
}

/// How far an episode is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// What begins.
    pub phase: Phase,
    /// The step, from 1; 0 before the first.
    pub step: u32,
    /// Tokens used so far, those of sub-agents included.
    pub usage: Usage,
    /// Money spent so far in micro-dollars; none where some price is unknown.
    pub cost_microdollars: Option<u64>,
}

/// What an episode is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Start its session.
    Starting,
    /// Ask the model.
    Model,
    /// Run code.
    Cell,
    /// Have its files graded.
    Grading,
    /// Nothing more.
    Ended,
}

/// Nobody looks on.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Supervisor for Unwatched {}
impl Observer for Unwatched {}
