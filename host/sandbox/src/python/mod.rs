//! Python: the C interpreter as a WebAssembly component, for cells that a model writes and for strategies (`program/`).
//!
//! ```text
//! cell ──► session ──► interpreter ──► wasi:filesystem ──► assay_tree::Tree        (files/)
//!             │             ├────────► clocks, random, stdio: virtual               (cli.rs)
//!             │             └────────► assay:python/host: grep, find, diff, …       (tools.rs)
//!             └─ HostCalls: tests, shell, models; answered by whoever runs the session
//! ```
//!
//! Invariants: the machine has no file, clock, random number or socket that a cell can reach; same component, files, seed and cells give the
//! same bytes and the same fuel; sessions share nothing but read-only code and the frozen interpreter's memory image.

mod bindings;
mod calls;
mod cli;
mod engine;
mod exports;
mod files;
mod guest;
mod limits;
mod merge;
mod mounts;
mod outcome;
mod program;
mod session;
mod state;
mod stop;
mod strategy;
mod tools;

pub use calls::{HostAnswer, HostCall, HostCalls};
pub(crate) use engine::compile;
pub use engine::{OpenError, PythonEngine, PythonSettings};
pub use guest::{
    GuestError, PYTHON_COMPONENT_HINT, PYTHON_COMPONENT_VARIABLE, TOOLS_HELP, locate_component, python_guest_key,
};
pub use limits::{HOST_ANSWER_BYTES_MAX, HOST_CALL_BYTES_MAX, MEMORY_BYTES_MAX, PythonLimits};
pub use outcome::{CellError, CellOutcome};
pub use program::{PythonInstance, PythonProgram, SurveyError};
pub use session::{PythonError, PythonSession, SessionConfig};
