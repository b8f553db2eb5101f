//! What a model did in an episode, counted: code that ran and calls of tools.

use std::collections::BTreeMap;

use assay_trace::{EventKind, Stats, Trajectory};
use serde::{Deserialize, Serialize};

/// See the module documentation. Those of sub-agents are in their own trajectories.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deeds {
    /// Cells that ran.
    pub cells: u64,
    /// Their code, in bytes.
    pub code_bytes: u64,
    /// Calls by tool: `run_tests`, `shell`, `llm_query`, `sub_agent`, `finish`.
    pub tools: BTreeMap<String, u64>,
}

impl Deeds {
    /// Nothing was done.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn of(trajectory: &Trajectory, stats: &Stats) -> Self {
        let mut deeds = Self::default();
        for event in trajectory.events() {
            if let EventKind::CodeCell(cell) = &event.kind {
                deeds.cells += 1;
                deeds.code_bytes += cell.source.len() as u64;
            }
        }
        deeds.tools = stats.tools.iter().map(|(name, tool)| (name.clone(), tool.runs)).collect();
        deeds
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.cells = self.cells.saturating_add(other.cells);
        self.code_bytes = self.code_bytes.saturating_add(other.code_bytes);
        for (name, times) in &other.tools {
            let sum = self.tools.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*times);
        }
    }
}
