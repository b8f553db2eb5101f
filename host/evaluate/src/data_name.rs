//! What the data of a run is called: a hash of all that the strategy's episodes depend on, so a report and the tables beside it can be told to belong together.
//!
//! Invariants: equal for equal runs, on any machine; what the name is made from is in the record of the run.

use crate::record::{RunRecord, ScenarioRecord, StrategyRecord};

/// Hexadecimal digits of a name.
const DIGITS: usize = 16;

/// The name, from the release, the strategy, the scenario with what it replays or follows, and the seeds asked for, ascending.
#[must_use]
pub fn data_name(
    release: &str,
    strategy: &StrategyRecord,
    scenario: &ScenarioRecord,
    seeds: impl IntoIterator<Item = u64>,
) -> String {
    let recording = scenario.recording.as_ref().map(|recording| recording.hash.as_str());
    let followed = [recording, scenario.fundamental_series_hash.as_deref()].map(Option::unwrap_or_default);
    let named = [release, strategy.content_hash(), scenario.text.as_str()];
    let mut hasher = blake3::Hasher::new();
    for part in named.into_iter().chain(followed) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    for seed in seeds {
        hasher.update(&seed.to_le_bytes());
    }
    hasher.finalize().to_hex()[..DIGITS].to_owned()
}

impl RunRecord {
    /// What the data of this run is called, as in its column `run`.
    #[must_use]
    pub fn data_name(&self) -> String {
        data_name(&self.tool.assay, &self.strategy, &self.scenario, self.seeds.iter().copied())
    }
}
