//! Work that is started from somewhere else than a terminal.
//!
//! ```text
//! form ──► order ──► words of a command ──► Jobs ──► a child process of this binary ──► a folder of results
//!          (checked)                       (queue)   (the same code, limits and sandbox)
//! ```
//!
//! Invariants: a job is a command that somebody could have typed, so there is nothing that it may do and the command line may not; whatever a form says
//! becomes one argument each, never a flag; files are found by an id among those of folders that were named at start, so nothing that is typed becomes a
//! path; jobs at once, jobs that wait, what they print and how often they are resumed have limits.
//!
//! Absent on purpose: any knowledge of HTTP, and of how a command does its work.

pub mod episodes;
pub mod jobs;
pub mod offers;
pub mod order;
