//! Runs many units of work. It knows neither what they do nor what they are about: a submission, an attack, a day of a market.
//!
//! ```text
//!              ┌─► worker ─► attempt ─► attempt, after trouble that passes ─┐
//! Source ──────┼─► worker                                                   ├─► Sink, on the thread that called
//! (any order,  └─► worker                                                   ┘   (one result a unit)
//!  twice, late)
//! ```
//!
//! Invariants:
//! - As many units are under way as there are workers, and as many results wait for the sink; no more.
//! - A unit is its key and its sample. However often it is delivered, and in whatever order, a run takes it once: a delivery of a unit that is
//!   running or was kept is passed over, so the result that was kept first stands.
//! - The sink gets results one at a time, in the order in which they come.
//! - A unit that panics ends with trouble of its own and takes nobody with it.
//! - A sink that fails is not called again, and ends the run. So does a unit with fatal trouble.
//! - After a stop nothing begins. What comes to a result all the same is kept; what ends with trouble that passes is undone.

mod schedule;
mod stop;
mod trouble;
mod unit;

pub use schedule::{ATTEMPTS_MAX, RunEnd, run};
pub use stop::Stop;
pub use trouble::{Trouble, TroubleKind, panic_words};
pub use unit::{Sink, Source, Unit};
