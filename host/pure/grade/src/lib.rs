//! What a patch earned, and for which task: test logs to statuses, statuses to a verdict, data-set rows to tasks.
//!
//! Invariants: everything is a pure function of its arguments; nothing runs a test, reads a file or knows of containers. No parser panics, and
//! each is linear in its input. Trouble with the infrastructure is never a score: see [`rule::Verdict`].

pub mod parse;
pub mod patch;
pub mod rule;
mod status;
pub mod task;
mod text;

pub use parse::Parser;
pub use status::{Status, StatusMap};
pub use text::{decode_log, shell_words};
