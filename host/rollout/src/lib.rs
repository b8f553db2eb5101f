//! Bug-fix rollouts: a model gets a bug report and a repository, works in a sandboxed session, and the repository's own tests decide.
//!
//! Invariants: what is outside of the loop (a model, a session, a test bench, a disk, a clock) comes in through a [`ports`] trait; a model
//! never sees anything of a task but its [`Public`](assay_grade::task::Public) part; trouble with the infrastructure is never a score.

pub mod episode;
mod exit;
pub mod grading;
pub mod ports;
pub mod run;
mod settings;
pub mod task;

pub use exit::{Exit, Worth};
pub use settings::{Calls, Limits, RunTests, Settings, Temperature};
