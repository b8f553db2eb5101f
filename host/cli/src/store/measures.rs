//! The measures of a run record as the store keeps them.
//!
//! Invariant: of seeds that must stay hidden nothing is kept but figures over all of them.

use assay_evaluate::{EpisodeRecord, MeasureDefinition, RunRecord, mean_of};
use assay_store::{Better, Kpi, Spread};

/// What may be kept of seeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Disclosure {
    /// Each with its values.
    BySeed,
    /// None of them: a figure stands for all of them, three at least, and where one has no value there is no figure.
    AllTogether,
}

/// Mean and interval of fewer values are the values.
const TOGETHER_MIN: usize = 3;

/// The measures of a record that have a value.
pub(crate) fn kpis(record: &RunRecord, disclosure: Disclosure) -> Vec<Kpi> {
    record.measures.iter().filter_map(|definition| kpi(record, definition, disclosure)).collect()
}

fn kpi(record: &RunRecord, definition: &MeasureDefinition, disclosure: Disclosure) -> Option<Kpi> {
    let value = |episode: &EpisodeRecord| {
        let value = episode.measures.get(&definition.key)?.value.filter(|value| value.is_finite())?;
        Some((episode.seed, value))
    };
    let samples: Vec<(u64, f64)> = record.episodes.iter().filter_map(value).collect();
    let values: Vec<f64> = samples.iter().map(|(_, value)| *value).collect();
    let samples = match disclosure {
        Disclosure::BySeed => samples,
        Disclosure::AllTogether if values.len() == record.seeds.len() && values.len() >= TOGETHER_MIN => Vec::new(),
        Disclosure::AllTogether => return None,
    };
    let estimate = mean_of(&values)?;
    let interval = estimate.interval.map(|interval| (interval.low, interval.high));
    Some(Kpi {
        scenario: record.scenario.hash.clone(),
        measure: definition.key.clone(),
        unit: definition.unit.clone(),
        better: Better::of_word(&definition.better).unwrap_or(Better::Neutral),
        spread: Spread { n: u32::try_from(estimate.n).unwrap_or(u32::MAX), mean: estimate.mean, interval },
        samples,
    })
}
