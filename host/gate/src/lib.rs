//! The gate: a policy decides about a submission, and the decision can be audited.
//!
//! Policies, records and keys come in as values, verdicts and their renderings go out. The command line reads,
//! runs and writes.

pub mod judge;
pub mod output;
pub mod policy;
pub mod sign;
pub mod verdict;
pub mod watch;

/// The file in a folder of verdicts on which a process holds a lock as long as it judges there.
pub const LOCK_NAME: &str = ".lock";

pub use judge::judge;
pub use policy::Policy;
pub use verdict::{Decision, Verdict};
