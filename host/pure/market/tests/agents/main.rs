//! The background agents that execute, flow and choose sizes.

mod execution;
mod flow;
mod sizes;
