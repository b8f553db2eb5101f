//! What pages can start: the jobs, the files that forms may name, and what checks a strategy. The command line brings it; without it pages only show.

use assay_validator::Findings;
use assay_work::jobs::Jobs;
use assay_work::offers::{Offers, StrategyName};
use std::sync::Arc;

/// See the module documentation.
#[derive(Clone)]
pub struct Work {
    /// Where work is done.
    pub jobs: Arc<Jobs>,
    /// The files that forms may name.
    pub offers: Arc<Offers>,
    /// Checks a strategy as `assay check` does.
    pub check: CheckStrategy,
    /// Models that refinements may use, as `--model` takes them.
    pub models: Vec<String>,
    /// What a new strategy begins with, in Rust and in Python.
    pub templates: [&'static str; 2],
    /// The policy of a gate that names no other.
    pub policy: &'static str,
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Work")
    }
}

/// What was found in a strategy, and whether it may run.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Every finding.
    pub findings: Findings,
    /// Whether it passed.
    pub has_passed: bool,
}

type Check = dyn Fn(&StrategyName, &str) -> Result<Checked, String> + Send + Sync;

/// Checks the text of a strategy of some name. The error is about this machine, in words for a person.
#[derive(Clone)]
pub struct CheckStrategy(pub Arc<Check>);

impl std::fmt::Debug for CheckStrategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CheckStrategy")
    }
}
