//! Runs many units of work. It knows neither what they do nor what they are about: a submission, an episode, an attack, a day of a market.
//!
//! ```text
//!              ┌─► worker ─► attempt ─► attempt, after trouble that passes ─┐
//! Source ──────┼─► worker                                                   ├─► Sink, or what keeps for Tasks, in one place
//! (any order,  └─► worker                                                   ┘   (one result a unit)
//!  twice, late)
//! ```
//!
//! [`run`] is for work that computes: its workers are threads, and may borrow. [`run_tasks`] is for work that waits: each attempt is a task, and can be
//! cut off. Both follow one course: which unit is next, what follows from an attempt, how a run ended.
//!
//! Invariants:
//! - As many units are under way as there are workers, and as many results wait for the sink; no more.
//! - A unit is its key and its sample. However often it is delivered, and in whatever order, a run takes it once: a delivery of a unit that is
//!   running or was kept is passed over, so the result that was kept first stands.
//! - The sink gets results in one place, in the order in which they come.
//! - A unit that panics ends with trouble of its own and takes nobody with it.
//! - A sink that fails is not called again, and ends the run. After trouble of the whole run nothing more begins.
//! - After a stop nothing begins. What comes to a result all the same is kept; what ends with trouble that passes, or is cut off, is undone.

mod course;
mod stop;
mod tasks;
mod threads;
mod trouble;
mod unit;

pub use course::RunEnd;
pub use stop::Stop;
pub use tasks::{Attempt, BoxFuture, Tasks, run_tasks};
pub use threads::{ATTEMPTS_MAX, run};
pub use trouble::{Trouble, TroubleKind, panic_words};
pub use unit::{Sink, Source, Unit};
