//! The loop that improves a strategy and proves it.
//!
//! ```text
//! log ──fold──► State ──next──► Step ──► Writer · Bench ──► events ──► log
//! ```
//!
//! [`core`] decides and touches nothing outside; a [`Session`](session::Session) does what it says, with a [`Writer`](session::Writer) that makes candidates
//! and a [`Bench`](session::Bench) that runs them. Absent on purpose: any printing, and any knowledge of how a strategy is checked and built.

pub mod about;
pub mod analyst;
pub mod ask;
mod cell;
pub mod core;
pub mod council;
pub mod evidence;
pub mod explain;
pub mod feedback;
pub mod feedback_page;
pub mod flaws;
pub mod journal;
pub mod judge;
pub mod manage;
pub mod market;
pub mod model;
pub mod planner;
mod prompt;
pub mod reply;
pub mod session;
pub mod source;
mod stored;
pub mod story;
