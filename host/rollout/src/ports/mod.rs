//! What the loop needs from outside, as traits. The crates of `host/edge` and the sandbox implement them.
//!
//! Invariants: every call can be dropped at any point, which cancels it and leaks nothing; every error says whether it is the
//! infrastructure's, and only then may the episode be tried again.

mod bench;
mod model;
mod session;

use assay_model::Time;
use assay_trace::Record;
use futures::future::BoxFuture;
use thiserror::Error;

pub use bench::{BenchError, BenchLimits, Job, Overlay, OverlayFile, TestBench, TestRun};
pub use model::{Model, ModelError, ModelReply, ModelRequest};
pub use session::{
    Cell, CellError, Death, Host, HostAnswer, HostCall, Session, SessionError, SessionLimits, SessionStart, Sessions,
};

/// The time. Real in production, virtual where a run must give the same bytes again.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Time;
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
