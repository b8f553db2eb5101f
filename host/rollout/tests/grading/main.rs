//! Grading through its boundary: task folders on disk, a test bench with canned output, attacks as scripted submissions.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod attacks;
mod control;
mod hostile_tasks;
mod load;
mod mill;
mod planning;
mod reward;
mod rows;
mod rules;
mod support;
mod unscored;
mod verify;
