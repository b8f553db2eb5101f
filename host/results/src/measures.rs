//! What a run record says of its run, as the store keeps it: measures, verdict, hashes, market.
//!
//! Invariants: of seeds that must stay hidden nothing is kept but figures over all of them; seeds of one market path are one sample, their mean, under the
//! first of them, so that whoever reads the store cannot take copies for evidence.

use assay_evaluate::{EpisodeRecord, MeasureDefinition, RunRecord, Sample, ScenarioRecord};
use assay_store::{Better, Kpi, RunEntry, Scenario, Spread};
use std::collections::BTreeSet;

/// What may be kept of seeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disclosure {
    /// Each with its values.
    BySeed,
    /// None of them: a figure stands for all of them, three at least, and where one has no value there is no figure.
    AllTogether,
}

/// Mean and interval of fewer values are the values.
const TOGETHER_MIN: usize = 3;

/// Enters what a record says of its run.
pub fn enter(entry: &mut RunEntry, record: &RunRecord) {
    entry.run.subject_hash = Some(record.strategy.content_hash().to_owned());
    entry.run.verdict = serde_json::to_value(record.verdict).ok().and_then(|word| Some(word.as_str()?.to_owned()));
    // Whoever ranks runs must be able to tell those whose figures mean something else.
    entry.run.tool = format!("{} ({} {})", record.tool.assay, record.schema.name, record.schema.version);
    entry.scenarios = vec![scenario(&record.scenario)];
    entry.kpis = kpis(record, Disclosure::BySeed);
}

/// A scenario as the store keeps it.
#[must_use]
pub fn scenario(record: &ScenarioRecord) -> Scenario {
    Scenario {
        hash: record.hash.clone(),
        name: record.name.clone(),
        summary: record.summary.clone(),
        source: record.text.clone(),
    }
}

/// The measures of a record that have a value.
#[must_use]
pub fn kpis(record: &RunRecord, disclosure: Disclosure) -> Vec<Kpi> {
    record.measures.iter().filter_map(|definition| kpi(record, definition, disclosure)).collect()
}

fn kpi(record: &RunRecord, definition: &MeasureDefinition, disclosure: Disclosure) -> Option<Kpi> {
    let value =
        |episode: &EpisodeRecord| episode.measures.get(&definition.key)?.value.filter(|value| value.is_finite());
    let valued: Vec<(u64, &str, f64)> =
        record.episodes.iter().filter_map(|episode| Some((episode.seed, episode.path(), value(episode)?))).collect();
    let sample = Sample::of_paths(valued.iter().map(|(_, path, value)| (*path, *value)));
    let mut seen = BTreeSet::new();
    let firsts = valued.iter().filter(|(_, path, _)| seen.insert(*path)).map(|(seed, ..)| *seed);
    let samples = match disclosure {
        Disclosure::BySeed => firsts.zip(sample.values().iter().copied()).collect(),
        Disclosure::AllTogether if valued.len() == record.seeds.len() && sample.n() >= TOGETHER_MIN => Vec::new(),
        Disclosure::AllTogether => return None,
    };
    let estimate = sample.estimate()?;
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
