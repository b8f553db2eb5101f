//! Bug-fix rollouts: a model gets a bug report and a repository, works in a sandboxed session, and the repository's own tests decide.
//!
//! Invariants: what is outside of the loop (a model, a session, a test bench, a disk, a clock) comes in through a [`ports`] trait; a model
//! never sees anything of a task but its [`Public`](assay_grade::task::Public) part; trouble with the infrastructure is never a score.

mod agent;
mod aside;
pub mod code_blocks;
pub mod context;
pub mod episode;
mod exit;
pub mod files;
pub mod grading;
mod host_calls;
pub mod later;
mod limits;
pub mod owner;
pub mod ports;
mod prompt;
pub mod python;
mod record;
pub mod replay;
mod reply;
pub mod repository;
mod reward;
pub mod run;
mod sampling;
mod settings;
mod start;
mod step;
mod stop;
mod stuck;
mod sub_agent;
mod submission;
pub mod task;
mod text;
pub mod verify;

pub use exit::{Exit, Worth};
pub use host_calls::{ANSWER_BYTES_MAX, ARGUMENT_BYTES_MAX};
pub use reply::REPLY_BYTES_MAX;
pub use sampling::SampleRate;
pub use settings::{Calls, Limits, NUDGE_BYTES_MAX, Settings, Temperature};
pub use step::BLOCKS_PER_REPLY_MAX;
pub use submission::{SUBMISSION_BYTES_MAX, Submission};
