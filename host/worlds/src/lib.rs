//! Agents tried in worlds: world folders are loaded and probed, agents act, episodes leave trajectories.
//!
//! ```text
//! folder ──load──► World ──check──► which tasks are admitted, and why others are not
//!                    └──► episode ◄──► agent (script, command, model) ──► trajectory with score ──fork──► another one, from a step on
//! ```
//!
//! Invariants: world folders are untrusted and read within limits; an agent sees messages and tools only; trouble with an agent's infrastructure is never
//! a score; the same world, task, seed, profile and actions leave the same trajectory, byte for byte, for its times are the world's.
//!
//! Runs are those of [`assay_rollout::run`]: one folder, one journal, one scheduler for all that is done many times.

pub mod agents;
mod check;
mod database;
mod deeds;
mod episode;
mod fork;
mod format;
pub mod import;
mod layout;
mod load;
pub mod mcp;
mod native;
mod never;
mod places;
mod python;
mod slip;
mod slips;
mod unique;
pub mod view;

pub use check::{Probed, Refusal, Standing, check, probe, probes};
pub use episode::{DONE_UNSAFELY, INJECTION_FOLLOWED, SCORER, Start, Watcher, run};
pub use fork::{FORKED_FROM, Fork, ForkError, States};
pub use load::{LoadError, TASKS_MAX, World, load, load_with};
pub use python::{AT_ONCE as PYTHON_AT_ONCE, OpenPython};
