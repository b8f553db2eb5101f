//! The part of the loop that decides, without clock, files, threads or markets.
//!
//! ```text
//! Event ──apply──► State ──next──► Step (what to do) ──done by the session──► Event
//! ```
//!
//! Invariants: the state is the fold of the events and nothing else; what comes next is a function of the state; a random draw is a function of the
//! run's seed and the place it is for. So a session that is killed anywhere, or runs on other threads, writes the same events.

pub mod archive;
pub mod bandit;
pub mod bounds;
pub mod event;
pub mod hypotheses;
pub mod node;
pub mod operator;
pub mod place;
pub mod plan;
pub mod progress;
pub mod purpose;
pub mod seeds;
pub mod state;
pub mod step;
pub mod tuner;
pub mod wager;
