//! What the loop needs from outside, as traits. The crates of `host/edge` and the sandbox implement them.
//!
//! Invariants: every call can be dropped at any point, which cancels it and leaks nothing; every error says whether it is the
//! infrastructure's, and only then may the episode be tried again.

mod bench;
mod grader;
mod model;
mod session;
mod watch;

use assay_model::{Nanos, Time};
use assay_trace::{Metadata, Record};
use futures::future::BoxFuture;
use thiserror::Error;

pub use bench::{BenchError, BenchLimits, Job, Overlay, OverlayFile, TestBench, TestRun};
pub use grader::{Graded, Grader, SoFar};
pub use model::{Hear, Model, ModelError, ModelReply, ModelRequest};
pub use session::{
    Cell, CellError, Death, Host, HostAnswer, HostCall, Session, SessionError, SessionLimits, SessionStart, Sessions,
};
pub use watch::{Decision, Observer, Phase, Progress, Supervisor, Unwatched};

/// The time. Real in production, virtual where a run must give the same bytes again.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Time;

    /// Ready when `length` has passed. A clock on which nothing happens by itself never is, which is what a virtual one does unless it is told
    /// otherwise: limits of time then take effect between steps only.
    fn sleep(&self, _length: Nanos) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}

/// Where episodes' records go: one sink for each trajectory, those of sub-agents included.
pub trait Sinks: Send + Sync {
    /// Begins a trajectory. Its first line is on disk when the call is over. Where one of the same id was begun before and did not end, it is
    /// replaced: an unfinished episode starts over.
    fn begin(&self, metadata: Metadata) -> BoxFuture<'_, Result<Box<dyn Sink>, SinkError>>;
}

/// Where an episode's record goes. What was appended is on disk when the call is over, before the next step begins.
pub trait Sink: Send {
    /// Appends records, all or none.
    fn append(&mut self, records: Vec<Record>) -> BoxFuture<'_, Result<(), SinkError>>;
}

/// The record could not be written: the episode cannot go on.
#[derive(Debug, Error)]
#[error("failed to write the trajectory: {why}")]
pub struct SinkError {
    /// What happened.
    pub why: String,
}
