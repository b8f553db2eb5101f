//! Baselines that several trials share: what the inert trader does in a scenario and a seed is the same whatever is tried beside it.
//!
//! Invariant: a record does not tell whether its baselines were run for it or for an earlier trial.

use crate::episode::Episode;
use assay_market::Scenario;
use assay_model::Seed;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Baselines that are kept at most: a series takes some 100 KB. Further ones are run for each trial.
pub const BASELINES_MAX: usize = 1_000;

type Slot = Arc<Mutex<Option<Arc<Episode>>>>;

/// What the market of a scenario is: its text, and the hashes of its data files.
#[derive(PartialEq)]
struct Market {
    text: String,
    recording: Option<blake3::Hash>,
    series: Option<blake3::Hash>,
}

impl From<&Scenario> for Market {
    fn from(scenario: &Scenario) -> Self {
        Self {
            text: scenario.to_toml().to_owned(),
            recording: scenario.replay.as_ref().map(|replay| replay.recording.hash()),
            series: scenario.fundamental_series.as_ref().map(|series| series.hash()),
        }
    }
}

/// The baselines of one scenario, each run by the first trial that needs it.
pub struct Baselines {
    market: Market,
    slots: Mutex<BTreeMap<Seed, Slot>>,
}

impl Baselines {
    /// None yet.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        Self { market: scenario.into(), slots: Mutex::default() }
    }

    /// The baseline of `seed`, run if it is not kept. Whoever else needs it meanwhile waits; a run that fails is not kept.
    pub(crate) fn of<E>(
        &self,
        scenario: &Scenario,
        seed: Seed,
        run: impl FnOnce() -> Result<Episode, E>,
    ) -> Result<Arc<Episode>, E> {
        if Market::from(scenario) != self.market {
            return run().map(Arc::new);
        }
        let slot = {
            let mut slots = locked(&self.slots);
            if slots.len() >= BASELINES_MAX && !slots.contains_key(&seed) {
                drop(slots);
                return run().map(Arc::new);
            }
            Arc::clone(slots.entry(seed).or_default())
        };
        let mut kept = locked(&slot);
        if let Some(episode) = &*kept {
            return Ok(Arc::clone(episode));
        }
        let episode = Arc::new(run()?);
        *kept = Some(Arc::clone(&episode));
        Ok(episode)
    }
}

/// A panic while it was held left nothing half-done: what is behind it is replaced whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
