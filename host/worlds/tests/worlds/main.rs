//! Worlds through the crate's interface: the example, attacks on its rewards, and folders and agents that are wrong.

mod bad_worlds;
mod common;
mod examples;
mod faults;
mod forks;
mod golden;
mod programs;
mod reward_attacks;
mod small_worlds;
mod support_desk;
