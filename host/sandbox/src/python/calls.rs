//! Calls that leave the sandbox: what a cell asks, who answers, and the place where the two meet.

use assay_tree::Tree;
use futures::channel::oneshot;
use futures::future::BoxFuture;
use serde::Deserialize;
use std::sync::{Arc, Mutex, PoisonError};

/// What a cell asks of whoever runs the session. All text is the model's.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum HostCall {
    /// Run the repository's tests over the files as they are.
    RunTests,
    /// Run a command over the files as they are.
    Shell {
        /// The command line.
        command: String,
    },
    /// Ask a language model.
    LlmQuery {
        /// What to ask.
        prompt: String,
    },
    /// Give another agent a copy of the files and a task.
    SubAgent {
        /// What to do.
        task: String,
    },
}

/// What becomes of a [`HostCall`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostAnswer {
    /// The call's value in the cell.
    Text(String),
    /// Raised in the cell as `ToolError`: not allowed, out of budget, wrongly asked.
    Refused(String),
    /// The host could not do it through no fault of the cell; the cell ends unscored.
    Infrastructure(String),
}

/// Serves the calls of one session, one at a time.
pub trait HostCalls: Send + Sync {
    /// Answers a call. `tree` is the files as the cell sees them, for this call to keep or change.
    fn call<'a>(&'a self, call: HostCall, tree: Tree) -> BoxFuture<'a, HostAnswer>;
}

/// A call on its way out.
pub(crate) struct Request {
    pub(crate) call: HostCall,
    pub(crate) tree: Tree,
    pub(crate) answer: oneshot::Sender<HostAnswer>,
}

/// Holds the call that the guest waits for.
#[derive(Clone, Default)]
pub(crate) struct Mailbox(Arc<Mutex<Option<Request>>>);

impl Mailbox {
    pub(crate) fn post(&self, request: Request) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
    }

    pub(crate) fn take(&self) -> Option<Request> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
