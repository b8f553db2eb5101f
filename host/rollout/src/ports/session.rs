//! A persistent code session over a file tree: the sandboxed Python interpreter.
//!
//! Invariants: code in a session reaches its tree and the [`Host`] it was given, nothing else; the same cells from the same start give the same
//! bytes and the same fuel; whatever a cell does is an outcome of the cell, and only trouble of the host's own making is an error.

use assay_model::{Seed, Time};
use assay_tree::Tree;
use futures::future::BoxFuture;
use thiserror::Error;

/// Starts sessions.
pub trait Sessions: Send + Sync {
    /// A fresh interpreter over `start.tree`.
    fn start(&self, start: SessionStart) -> BoxFuture<'_, Result<Box<dyn Session>, SessionError>>;

    /// What the model is told about the session: the tools in it and their arguments, as text for a prompt.
    fn help(&self) -> &str;
}

/// How a session begins.
#[derive(Clone)]
pub struct SessionStart {
    /// The files. The session works on a fork.
    pub tree: Tree,
    /// Where the tree appears in the session, for example `/testbed`; the working folder as well.
    pub folder: String,
    /// Of the session's randomness and hashing.
    pub seed: Seed,
    /// What its virtual clock shows at first.
    pub time: Time,
    /// What it may use.
    pub limits: SessionLimits,
}

/// What a session may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionLimits {
    /// Fuel of one cell.
    pub fuel_per_cell: u64,
    /// Fuel of all cells together.
    pub fuel: u64,
    /// Memory of the interpreter, in bytes.
    pub memory_bytes: u64,
    /// Output that is kept of each cell, in bytes for each of its two streams.
    pub output_bytes_per_cell: usize,
    /// Calls to the host in one cell.
    pub host_calls_per_cell: u32,
}

/// A running session. Dropping it frees everything that it holds.
pub trait Session: Send {
    /// Runs a cell to its end. A call that is dropped leaves the files as they are at that moment. After an error of kind [`CellError::Died`] the
    /// interpreter is gone; the next cell runs in a fresh one over the same tree.
    ///
    /// # Errors
    /// The host failed, not the code: the episode is unscored.
    fn run<'a>(&'a mut self, code: &'a str, host: &'a dyn Host) -> BoxFuture<'a, Result<Cell, SessionError>>;

    /// The files as they are now. Cheap: a fork.
    fn tree(&self) -> Tree;

    /// Digests of whatever else its state is made of, by name: memory, clock, random stream. They are recorded after each cell beside that of the
    /// files, and compared in a replay.
    fn parts(&self) -> Vec<(String, assay_trace::Digest)> {
        Vec::new()
    }
}

/// What became of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// What it printed, as far as it was kept.
    pub stdout: String,
    /// What it printed as errors, as far as it was kept.
    pub stderr: String,
    /// Bytes of output that were not kept.
    pub dropped_bytes: u64,
    /// What ended it, if not its last line.
    pub error: Option<CellError>,
    /// What it burnt.
    pub fuel: u64,
}

/// What ended a cell before its last line. All of it is the code's doing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CellError {
    /// An exception; variables are still there.
    #[error("{summary}")]
    Exception {
        /// Its last line: type and message.
        summary: String,
        /// The traceback through the user's frames, ending with the summary.
        traceback: String,
    },
    /// The interpreter died of a limit or of its own code. Files are still there, variables are not.
    #[error("the interpreter died: {reason}")]
    Died {
        /// Of what.
        reason: Death,
    },
}

/// Of what an interpreter died.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Death {
    /// The cell's fuel, or the session's.
    #[error("out of fuel")]
    OutOfFuel,
    /// Its memory.
    #[error("out of memory")]
    OutOfMemory,
    /// Its stack.
    #[error("stack overflow")]
    StackOverflow,
    /// It ended itself, or broke.
    #[error("{0}")]
    Trap(String),
}

/// Trouble of the host's own making.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the session failed: {why}")]
pub struct SessionError {
    /// What happened.
    pub why: String,
    /// What the user can do about it.
    pub hint: Option<String>,
}

/// What code in a session may ask of the loop. It runs while the cell waits.
pub trait Host: Send + Sync {
    /// Answers a call; `tree` is the files at this moment.
    fn call(&self, call: HostCall, tree: Tree) -> BoxFuture<'_, HostAnswer>;
}

/// The answer to a call: a text for the code, or the message of the exception that it gets.
pub type HostAnswer = Result<String, String>;

/// A call to the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostCall {
    /// Run the task's tests on the files as they are; the answer is what a model may know of it.
    RunTests {
        /// Names of tests to run; all where empty.
        tests: Vec<String>,
    },
    /// A command in a fresh container over the files as they are.
    Shell {
        /// For `bash -c`.
        command: String,
    },
    /// Ask a model one question.
    Ask {
        /// The question.
        prompt: String,
    },
    /// Send off an agent with a loop and a session of its own, over a fork of the files.
    SubAgent {
        /// What it is to do.
        task: String,
    },
    /// The work is done.
    Finish {
        /// What was done, in the model's words.
        summary: String,
    },
}
