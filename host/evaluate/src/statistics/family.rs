//! Many looks at the same seeds: measures in families, Holm's correction within each, and what chance alone would show.
//!
//! A family is a group of the catalogue. Holm's step-down method (S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6,
//! 1979, 65–70) keeps the probability of any false mark in a family at 5% whatever the dependence between its measures, and they depend on each other a lot.

use super::sample::MORE_MARKETS_HINT;
use super::tail::{TailRecord, cautions};
use super::{CONFIDENCE, Difference};
use serde::{Deserialize, Serialize};

/// What a run's figures rest on. Since 2.0; empty in older records.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvidenceRecord {
    /// Scored seeds.
    pub seeds: u64,
    /// Distinct market paths among them.
    pub observations: u64,
    /// Each group of measures.
    pub families: Vec<FamilyRecord>,
    /// Differences that chance alone would show among all that were tested, without a correction.
    pub expected_by_chance: f64,
    /// Losses and single seeds, of `pnl`.
    pub tail: Option<TailRecord>,
    /// What a reader should know before believing the figures, in sentences.
    pub cautions: Vec<String>,
}

/// Measures that were looked at together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyRecord {
    /// Group of the catalogue.
    pub group: String,
    /// Differences that could have been told: those with a p-value.
    pub tested: u64,
    /// Those whose interval leaves out zero.
    pub raw: u64,
    /// Those that remain after the correction.
    pub told: u64,
}

impl EvidenceRecord {
    /// How many differences chance alone would show, in a sentence; `None` if nothing was tested.
    #[must_use]
    pub fn chance(&self) -> Option<String> {
        let sum = |count: fn(&FamilyRecord) -> u64| self.families.iter().map(count).sum::<u64>();
        let (tested, raw, told) = (sum(|f| f.tested), sum(|f| f.raw), sum(|f| f.told));
        (tested > 0).then(|| {
            format!(
                "{tested} differences were tested; chance alone would show about {:.1} of them at 95%. Intervals that exclude zero: {raw}. Significant after Holm's \
                 correction within their groups: {told}; only those are marked.",
                self.expected_by_chance
            )
        })
    }
}

/// Corrects the differences of each group in place and sums up. `rows` are differences with their groups.
pub(crate) fn evidence(
    rows: &mut [(&str, &mut Difference)],
    seeds: u64,
    observations: u64,
    tail: Option<TailRecord>,
) -> EvidenceRecord {
    let mut groups: Vec<&str> = Vec::new();
    for (group, _) in rows.iter() {
        if !groups.contains(group) {
            groups.push(group);
        }
    }
    let families: Vec<FamilyRecord> = groups.into_iter().map(|group| correct(group, rows)).collect();
    let tested: u64 = families.iter().map(|family| family.tested).sum();
    let mut sentences = Vec::new();
    if observations < seeds {
        sentences.push(match observations {
            1 => format!("{seeds} seeds are 1 observation: {MORE_MARKETS_HINT}."),
            _ => format!("{seeds} seeds are {observations} observations: the others repeat a market path."),
        });
    }
    sentences.extend(tail.as_ref().map(cautions).unwrap_or_default());
    EvidenceRecord {
        seeds,
        observations,
        families,
        expected_by_chance: tested as f64 * (1.0 - CONFIDENCE),
        tail,
        cautions: sentences,
    }
}

fn correct(group: &str, rows: &mut [(&str, &mut Difference)]) -> FamilyRecord {
    let members = || rows.iter().enumerate().filter(|(_, (of, _))| *of == group);
    let tested: Vec<(usize, f64)> = members().filter_map(|(index, (_, row))| Some((index, row.p?))).collect();
    let raw: Vec<f64> = tested.iter().map(|(_, p)| *p).collect();
    for ((index, _), corrected) in tested.iter().zip(holm(&raw, raw.len())) {
        rows[*index].1.p_corrected = Some(corrected);
    }
    let members = || tested.iter().map(|(index, _)| &*rows[*index].1);
    let excludes = |row: &&Difference| row.interval.is_some_and(|interval| interval.excludes_zero());
    FamilyRecord {
        group: group.to_owned(),
        tested: tested.len() as u64,
        raw: members().filter(excludes).count() as u64,
        told: members().filter(|row| row.is_told()).count() as u64,
    }
}

/// Holm's corrected p-values, in the order of `p`, among `hypotheses` of which the others were not looked at closely; see the module documentation.
#[must_use]
pub fn holm(p: &[f64], hypotheses: usize) -> Vec<f64> {
    let all = hypotheses.max(p.len());
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let (mut corrected, mut highest) = (vec![1.0; p.len()], 0.0_f64);
    for (step, index) in order.into_iter().enumerate() {
        highest = highest.max(((all - step) as f64 * p[index]).min(1.0));
        corrected[index] = highest;
    }
    corrected
}
