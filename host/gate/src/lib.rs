//! The gate: a policy decides about a submission, and the decision can be audited.
//!
//! Policies, records and keys come in as values, verdicts and their renderings go out. The command line reads,
//! runs and writes.

pub mod output;
pub mod sign;
pub mod verdict;

pub use verdict::{Decision, Verdict};
